// The table at an earlier turn.
const slider = document.querySelector(".time input[type=range]");
slider?.addEventListener("input", () => { document.querySelector(".time output").value = slider.value; });
// a finger lets go where it wants to be; by keys one goes on step by step, and then asks
let byKeys = false;
slider?.addEventListener("keydown", () => { byKeys = true; });
slider?.addEventListener("pointerdown", () => { byKeys = false; });
slider?.addEventListener("change", () => { if (!byKeys) slider.form.submit(); });
