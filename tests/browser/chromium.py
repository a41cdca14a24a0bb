"""A headless Chromium through its own protocol: open a page, ask it things, and hear what it complains about."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60.0
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--remote-debugging-port=0", "--remote-allow-origins=*",
)  # fmt: skip


def found() -> str | None:
    """The browser of this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One tab. ``complaints`` has console messages and errors, ``requests`` every address that was asked for."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(address, timeout=_PATIENCE)
        self._numbers = itertools.count(1)
        self._loaded = 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; AssertionError where it fails."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self._hear(answer.get("method", ""), answer.get("params", {}))

    def _hear(self, method: str, facts: dict[str, Any]) -> None:
        match method:
            case "Runtime.consoleAPICalled":
                self.complaints.append(f"{facts['type']}: {[part.get('value') for part in facts['args']]}")
            case "Runtime.exceptionThrown":
                self.complaints.append(f"exception: {facts['exceptionDetails']['text']}")
            case "Log.entryAdded":
                self.complaints.append(f"{facts['entry']['level']}: {facts['entry']['text']}")
            case "Network.requestWillBeSent":
                self.requests.append(facts["request"]["url"])
            case "Page.loadEventFired":
                self._loaded += 1

    def open(
        self, path: Path, *, width: int = 1280, height: int = 900, scripts: bool = True, dark: bool = False
    ) -> None:
        """Show a file in a window of that size and wait until it is loaded."""
        self.complaints.clear()
        self.requests.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        before, end = self._loaded, time.monotonic() + _PATIENCE
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self._loaded == before and time.monotonic() < end:
            self.call("Runtime.evaluate", expression="0")
            time.sleep(0.05)
        assert self._loaded > before, f"{path} was not loaded"

    def ask(self, expression: str) -> Any:
        """The value of an expression, a promise awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")

    def picture(self, *, whole: bool = False) -> bytes:
        """The window, or the whole page, as PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


@contextlib.contextmanager
def browser(program: str) -> Iterator[Page]:
    """A browser of its own, with one page; it ends with the block."""
    with tempfile.TemporaryDirectory(prefix="corpus-migrate-browser-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder},
        )  # fmt: skip
        try:
            page = Page(_address(Path(folder), process))
            try:
                yield page
            finally:
                page.close()
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _address(folder: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + _PATIENCE
    port = folder / "DevToolsActivePort"
    while time.monotonic() < end:
        assert process.poll() is None, "the browser ended at once"
        if port.exists() and (number := port.read_text().splitlines()[:1]):
            with urllib.request.urlopen(f"http://127.0.0.1:{number[0]}/json/list", timeout=_PATIENCE) as answer:
                pages = [target for target in json.load(answer) if target["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise AssertionError("the browser did not come up")
