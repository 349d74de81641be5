"""A headless Chromium in a profile of its own, watched: what it asks for and what it complains about."""

import os
import shutil
import tempfile
from contextlib import contextmanager

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
WHERE = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Watched:
    """A page with everything that it did beside showing itself."""

    def __init__(self, page):
        self.page, self.complaints, self.requests, self.dialogs, self.refused = page, [], [], [], {}
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.refused.update({request.url: request.failure}))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def open(self, path):
        """Load a file and wait for its charts, if it has any."""
        self.page.goto(path.as_uri())
        if self.page.locator("#library, [data-charts]").count():
            self.page.wait_for_selector("body[data-charts]")
        return self.page


@contextmanager
def chromium(**settings):
    """A function that gives a new watched page; the browser ends with the block."""
    from playwright.sync_api import sync_playwright

    settings = {"viewport": {"width": 1200, "height": 900}, **settings}
    with sync_playwright() as player, tempfile.TemporaryDirectory() as profile:
        context = player.chromium.launch_persistent_context(
            profile, executable_path=WHERE, args=FLAGS, **settings
        )
        yield lambda: Watched(context.new_page())
        context.close()
