"""HTTP servers on this machine that stand for the ones the data comes from."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@contextlib.contextmanager
def serving(handler):
    """Run a server and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class FileServer:
    """Serves bytes by path, with ranges if wanted, and breaks off where told.

    Attributes
    ----------
    asked : list of (path, range)
        The requests that came in.
    breaks : list of int
        After how many bytes the next answers end before their time.
    """

    def __init__(self, files, *, ranges=True, breaks=()):
        self.files, self.ranges, self.breaks, self.asked = files, ranges, list(breaks), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.handler = Handler

    def answer(self, request):
        wanted = request.headers.get("Range")
        self.asked.append((request.path, wanted))
        if request.path not in self.files:
            request.send_error(404)
            return
        body, start = self.files[request.path], 0
        if wanted and self.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                request.send_error(416)
                return
            request.send_response(206)
            request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            request.send_response(200)
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        stop = self.breaks.pop(0) if self.breaks else len(body)
        request.wfile.write(body[start : start + stop])


class OpenReviewServer:
    """Answers `/notes` as OpenReview does: by invitation, in pages, with replies if asked for.

    `notes` are all notes of a venue by invitation, in the order of their ids.
    """

    page = 1000

    def __init__(self, notes, *, failure=None):
        self.notes, self.failure, self.asked = notes, failure, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                status, answer = outer.answer(urlsplit(self.path))
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.handler = Handler

    def answer(self, address):
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        self.asked.append((address.path, query))
        if self.failure:
            return self.failure
        notes = self.notes.get(query["invitation"], [])
        details = query.get("details")
        limit = min(int(query.get("limit", self.page)), self.page)
        rest = [note for note in notes if note["id"] > query.get("after", "")]
        page = [
            {**note, "details": {details: note["details"][details]}} if details else note
            for note in rest[:limit]
        ]
        return 200, {"notes": page, "count": len(notes)}
