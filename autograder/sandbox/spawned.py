"""Workers elsewhere than on Linux: a cold interpreter for each, at level L1 alone."""

from __future__ import annotations

import secrets
import socket
import subprocess

from .pool import IsolationError, Worker, Zygote, ZygoteFault, python

TOKEN = 16  # bytes by which a worker shows that it is the one that was started
SECONDS = 60.0


class Spawner(Zygote):
    """Stands where a zygote is: starts each worker anew, which costs about a second."""

    def _begin(self) -> None:
        if self.level != "L1":
            raise IsolationError(f"{self.level} is Linux's; this platform has L1 alone")
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def worker(self) -> Worker:
        token = secrets.token_bytes(TOKEN)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(SECONDS)
            process = python("alone", server.getsockname()[1], token.hex(), *self.settings)
            self._running[process.pid] = process
            try:
                channel, _ = server.accept()
                channel.settimeout(SECONDS)
                shown = channel.recv(TOKEN, socket.MSG_WAITALL)
            except OSError as error:
                self.kill(process.pid)
                raise ZygoteFault(f"a worker did not come up: {error}") from error
        worker = Worker(self, channel, process.pid)
        try:
            if not secrets.compare_digest(shown, token):
                raise ZygoteFault("something else than the worker answered")
            worker.prove()
        except BaseException:
            worker.close()
            raise
        return worker

    def kill(self, pid: int) -> int:
        process = self._running.pop(pid)
        process.kill()
        if process.stderr:
            process.stderr.close()
        return process.wait()

    def close(self) -> None:
        for pid in list(self._running):
            self.kill(pid)
