// Where a browser allows it: an address that cannot be reached says so on a page of ours. No page and nothing that
// anybody sees is kept, but this one and its style.
const OFFLINE = "/offline", STYLE = "@style@", KEPT = "@version@";
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll([OFFLINE, STYLE])).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  const old = (names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(old).then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match(OFFLINE)));
  else if (event.request.url.endsWith(STYLE)) event.respondWith(fetch(event.request).catch(() => caches.match(STYLE)));
});
