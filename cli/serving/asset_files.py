"""The files that a page loads besides itself: its style, its script by modules, its icons.

They have no secrets and change with the program alone. So they lie under an address with a hash of all of them, are
kept by browsers for ever, and are sent compressed. `assets/idiomorph.min.js` is idiomorph 0.8.0, with its licence
beside it.
"""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from cli.pages import svg_plot
from cli.serving.http_guard import FOR_EVER

HERE = Path(__file__).parent / "assets"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
#: The colour around the page, where a browser shows one: that of its paper, by day and by night.
PAPER, NIGHT = "#fbfaf6", "#191816"
#: The file that a browser takes as its worker, which stands at the top of all addresses that it answers for.
WORKER = "worker.js"


class Asset(Struct, frozen=True):
    """A file, and the same compressed where that is shorter."""

    kind: str
    content: bytes
    packed: bytes | None


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its name."""
    found = {path.name: path.read_bytes() for path in sorted(HERE.iterdir()) if path.suffix in KINDS}
    found["style.css"] += svg_plot.STYLE.encode()
    found["app.webmanifest"] = _manifest()
    return {name: _asset(name, content) for name, content in found.items() if name != WORKER}


def _asset(name: str, content: bytes) -> Asset:
    packed = gzip.compress(content, 9, mtime=0)
    return Asset(KINDS[Path(name).suffix], content, packed if len(packed) < len(content) else None)


def _manifest() -> bytes:
    """What a phone needs to keep the page as an app."""
    icons = [
        {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"},
        *({"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in (192, 512)),
    ]
    manifest = {
        "name": "Campaign", "short_name": "Campaign", "id": "/", "start_url": "/", "scope": "/",
        "display": "standalone", "background_color": PAPER, "theme_color": PAPER, "icons": icons,
    }  # fmt: skip
    return json.dumps(manifest).encode()


@cache
def version() -> str:
    """A hash of all of them."""
    content = b"".join(name.encode() + asset.content for name, asset in assets().items())
    return sha256(content).hexdigest()[:16]


def address_of(name: str) -> str:
    """Where a file is. Raises KeyError for one that is not there."""
    assets()[name]
    return f"/assets/{version()}/{name}"


async def asset(request: Request) -> Response:
    """One of these files, to be kept for ever."""
    found = assets().get(request.path_params["name"])
    if found is None or request.path_params["version"] != version():
        return PlainTextResponse("There is no such file.", 404)
    packs = found.packed is not None and "gzip" in request.headers.get("accept-encoding", "")
    headers = {"cache-control": FOR_EVER, "vary": "accept-encoding", **({"content-encoding": "gzip"} if packs else {})}
    content = found.packed if packs and found.packed is not None else found.content
    return Response(content, headers=headers, media_type=found.kind)


@cache
def _worker() -> str:
    text = (HERE / WORKER).read_text("utf-8")
    return text.replace("@style@", address_of("style.css")).replace("@version@", version())


async def worker(request: Request) -> Response:  # noqa: ARG001
    """The script that answers where the table cannot be reached."""
    return Response(_worker(), media_type=KINDS[".js"])
