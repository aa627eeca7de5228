"""Needs only Python's standard library. PLANTS_URL is the service's address, PLANTS_TOKEN an access token."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request

URL = os.environ.get("PLANTS_URL", "http://127.0.0.1:3000")
TOKEN = os.environ["PLANTS_TOKEN"]


def call(method, path, body=None, attempts=5):
    """Returns the body of the answer, or raises an error with the answer's message.

    Repeats a request whose answer was lost, was a 429 or had a status of 500 or more. A create may be repeated:
    the same plant twice is not a conflict.
    """
    headers = {"Authorization": f"Bearer {TOKEN}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, body, headers, method=method)
    for attempt in range(attempts):
        seconds = 0.1 * 2**attempt
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as failure:
            if failure.code == 404 and method == "DELETE" and attempt > 0:
                return None  # The delete whose answer was lost has been carried out.
            if failure.code < 500 and failure.code != 429:
                error = json.load(failure)
                raise SystemExit(f"{error['error']}: {error['message']}")
            if attempt == attempts - 1:
                raise
            seconds = max(seconds, int(failure.headers.get("Retry-After", 0)))
        except (OSError, http.client.HTTPException):
            if attempt == attempts - 1:
                raise
        time.sleep(seconds)


ID = 9007199254740993
call("POST", "/plants", {"id": ID, "name": "Monstera deliciosa", "tag": "climber"})
for plant in call("GET", "/plants"):
    print(plant["name"], plant.get("tag", ""))
call("DELETE", f"/plants/{ID}")
