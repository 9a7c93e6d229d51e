"""What the server adds to its answers: a page keeps to its own host."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from ui.serving import OneHost

PAGE = "<html><head><title>x</title></head><body>é" + "words " * 500 + "</body></html>"


async def _page(request: object) -> Response:
    return HTMLResponse(PAGE)


async def _script(request: object) -> Response:
    return PlainTextResponse("<head>" * 200, media_type="text/javascript")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/reader", _page),
        Route("/x.js", _script),
        WebSocketRoute("/stream", _socket),
    ]
    middleware = [Middleware(OneHost), Middleware(GZipMiddleware, minimum_size=10)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


def test_a_page_is_told_where_its_server_is(client: TestClient) -> None:
    found = client.get("/reader?page=x", headers={"accept": "text/html,*/*"})
    assert found.text.startswith("<html><head><script>window.__streamlit = {BACKEND_BASE_URL")
    assert found.text.endswith("words </body></html>")
    assert int(found.headers["content-length"]) == len(found.content)


def test_only_pages_are_changed(client: TestClient) -> None:
    found = client.get("/x.js", headers={"accept": "*/*"})
    assert found.text == "<head>" * 200
    assert found.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("path", ["/reader", "/x.js", "/nothing"])
def test_every_answer_keeps_the_browser_to_this_host(client: TestClient, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    for source in ("default-src 'self'", "img-src 'self' data: blob:", "object-src 'none'"):
        assert source in policy
    assert "http:" not in policy
    assert "*" not in policy


def test_streams_pass_as_they_are(client: TestClient) -> None:
    with client.websocket_connect("/stream") as socket:
        assert socket.receive_text() == "hello"
