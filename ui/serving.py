"""What every answer of the server carries: a page may load from its own host and nowhere else."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

# Streamlit loads its components from data: addresses, measures text with blob: workers and writes
# its styles inline; all of that stays inside the page.
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "connect-src 'self' data: blob:",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'self'",
        "object-src 'none'",
    )
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
]
# A page below the first one would look for the server below itself, and log that it isn't there.
_BASE = (
    b"<script>window.__streamlit = {BACKEND_BASE_URL: "
    b'new URL("./", document.currentScript.baseURI).href}</script>'
)
_HEAD = b"<head>"


class OneHost:
    """ASGI middleware: our headers on every answer, and the server's address in the page."""

    def __init__(self, app: App) -> None:
        """Stand in front of Streamlit's own app."""
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass everything on; what is a page gets its address."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A page comes uncompressed: it is small, and its address goes into it.
        asked = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        wants_page = b"text/html" in dict(asked).get(b"accept", b"")
        passed = {**scope, "headers": asked} if wants_page else scope
        await self._app(passed, receive, _Answer(send).send)


class _Answer:
    """One answer on its way out."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Add the headers; hold a page until it is whole."""
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]
            if _is_page(message):
                self._start = message
                return
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_page(self._start)
            return
        await self._send(message)

    async def _send_page(self, start: Message) -> None:
        body = self._body.replace(_HEAD, _HEAD + _BASE, 1)
        kept = [(name, value) for name, value in start["headers"] if name != b"content-length"]
        start["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _is_page(start: Message) -> bool:
    headers = dict(start["headers"])
    return bool(headers.get(b"content-type", b"").startswith(b"text/html"))
