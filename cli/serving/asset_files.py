"""The files that a page loads besides itself: its style, its script by modules, its icons.

They have no secrets and change with the program alone. So they lie under an address with a hash of all of them, and
browsers keep them for ever. `assets/idiomorph.min.js` is idiomorph 0.8.0, with its licence beside it.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

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
#: The file that a browser takes as its worker, which stands at the top of all addresses that it answers for.
WORKER = "worker.js"


@cache
def assets() -> Mapping[str, bytes]:
    """Every file by its name."""
    found = {path.name: path.read_bytes() for path in sorted(HERE.iterdir()) if path.suffix in KINDS}
    found["style.css"] += svg_plot.STYLE.encode()
    del found[WORKER]
    return found


@cache
def version() -> str:
    """A hash of all of them."""
    content = b"".join(name.encode() + content for name, content in assets().items())
    return sha256(content).hexdigest()[:16]


def address_of(name: str) -> str:
    """Where a file is. Raises KeyError for one that is not there."""
    assets()[name]
    return f"/assets/{version()}/{name}"


async def asset(request: Request) -> Response:
    """One of these files, to be kept for ever."""
    name = str(request.path_params["name"])
    found = assets().get(name)
    if found is None or request.path_params["version"] != version():
        return PlainTextResponse("There is no such file.", 404)
    return Response(found, headers={"cache-control": FOR_EVER}, media_type=KINDS[Path(name).suffix])


@cache
def _worker() -> str:
    text = (HERE / WORKER).read_text("utf-8")
    return text.replace("@style@", address_of("style.css")).replace("@version@", version())


async def worker(request: Request) -> Response:  # noqa: ARG001
    """The script that answers where the table cannot be reached."""
    return Response(_worker(), media_type=KINDS[".js"])
