"""The explorer as a server on the loopback address, for the browser of the same machine.

A page is served only below a secret token, which is in the URL that `serve` prints, and only under the names of the
loopback address, so that neither other users nor other web sites reach it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from importlib.resources import files
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MOST_BYTES = 1 << 20  # of a message
_SECONDS_BETWEEN_POLLS = 0.1
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>hornbeam explorer</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="explorer.css" />
    <script type="module" src="page.js"></script>
  </head>
  <body class="hb-page">
    <div id="explorer"></div>
  </body>
</html>
"""
_FILES = {"explorer.js": "text/javascript", "explorer.css": "text/css", "page.js": "text/javascript"}


class Answers(Protocol):
    """An `Engine`, or a `BackgroundSearch` that has one at its end."""

    def answer(self, message: Any, stop: Callable[[Any], bool] | None = None) -> Any:
        """Answer one message."""


def make_app(engine: Answers, token: str) -> Starlette:
    """Return the application of a server.

    Parameters
    ----------
    engine : Engine or BackgroundSearch
        Answers the questions of the page.
    token : str
        The secret first part of all paths.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    def is_allowed(request: Request) -> bool:
        given = request.path_params["token"]
        return secrets.compare_digest(str(given).encode(), token.encode())

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "")
        if not is_allowed(request) or (name and name not in _FILES):
            return PlainTextResponse("There is no such page.", status_code=404, headers=_HEADERS)
        if not name:
            return Response(_PAGE, media_type="text/html", headers=_HEADERS)
        path = files("hornbeam.explorer").joinpath("static", name)
        return Response(path.read_bytes(), media_type=_FILES[name], headers=_HEADERS)

    async def ask(request: Request) -> Response:
        if not is_allowed(request):
            return PlainTextResponse("There is no such page.", status_code=404, headers=_HEADERS)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return JSONResponse({"error": "expected JSON."}, status_code=415, headers=_HEADERS)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return JSONResponse({"error": "the message is too large."}, status_code=413, headers=_HEADERS)
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the message is no JSON."}, status_code=400, headers=_HEADERS)
        has_left = Event()
        answer = asyncio.ensure_future(run_in_threadpool(engine.answer, message, lambda _: has_left.is_set()))
        while not (await asyncio.wait({answer}, timeout=_SECONDS_BETWEEN_POLLS))[0]:
            if await request.is_disconnected():
                has_left.set()
        try:
            return JSONResponse({"answer": answer.result()}, headers=_HEADERS)
        except InterruptedError as error:
            return JSONResponse({"error": str(error)}, status_code=409, headers=_HEADERS)
        except (ValueError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400, headers=_HEADERS)

    routes = [
        Route("/{token}/ask", ask, methods=["POST"]),
        Route("/{token}/", file),
        Route("/{token}/{name}", file),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return Starlette(routes=routes, middleware=[hosts])


def serve(
    engine: Answers,
    *,
    port: int = 0,
    opens_browser: bool = True,
    takes_ctrl_c: Callable[[], bool] = lambda: False,
) -> None:
    """Serve the explorer until Ctrl-C.

    Parameters
    ----------
    engine : Engine or BackgroundSearch
        Answers the questions of the page.
    port : int, default=0
        Of the loopback address. 0: any free one.
    opens_browser : bool, default=True
        Whether to open the page in the browser of the user.
    takes_ctrl_c : callable
        Called at Ctrl-C; returns whether that ended something else, so that the server goes on.

    Raises
    ------
    OSError
        If the port is taken.
    """
    import uvicorn

    token = secrets.token_urlsafe(24)
    with socket.create_server(("127.0.0.1", port)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/{token}/"
        print(f"The explorer is at {url}\nCtrl-C ends it.", flush=True)
        if opens_browser:
            webbrowser.open(url)
        config = uvicorn.Config(make_app(engine, token), log_level="warning", access_log=False)
        server: Any = uvicorn.Server(config)
        end = server.handle_exit
        server.handle_exit = lambda *signal: None if takes_ctrl_c() else end(*signal)
        # Python's collector would otherwise go through all modules now and then, while a reader waits for a click.
        gc.freeze()
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            print(file=sys.stderr)
        finally:
            gc.unfreeze()
