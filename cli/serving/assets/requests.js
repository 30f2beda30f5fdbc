// What is sent to the table, and how often it is tried on bad Wi-Fi: a tap that is sent again is one turn, by its id.
export const json = { Accept: "application/json" };
export const UNREACHED = "The table cannot be reached. Tap again: it is done once.";
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
export const body = (form) => new URLSearchParams(new FormData(form));
export async function sent(address, data, headers) {
  for (let tries = 0; ; tries++) {
    try {
      return await fetch(address, { method: "POST", body: data, headers, credentials: "same-origin" });
    } catch (error) {
      if (tries === 4) throw error;
      await pause(300 * 2 ** tries);
    }
  }
}
