"""Needs only Python's standard library. PLANTS_URL is the service's address, PLANTS_TOKEN an access token."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request

URL = os.environ.get("PLANTS_URL", "http://127.0.0.1:3000")
TOKEN = os.environ["PLANTS_TOKEN"]


def call(method, path, body=None):
    """Returns the body of the answer, or raises an error with the answer's message."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    request = urllib.request.Request(URL + path, body, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as failure:
        if failure.code >= 500:
            raise
        error = json.load(failure)
        raise SystemExit(f"{error['error']}: {error['message']}")


def create(plant, attempts=5):
    """A create may be repeated: the same plant twice is not a conflict."""
    for attempt in range(attempts):
        try:
            return call("POST", "/plants", plant)
        except (OSError, http.client.HTTPException):
            if attempt == attempts - 1:
                raise
            time.sleep(0.1 * 2**attempt)


ID = 9007199254740993
create({"id": ID, "name": "Monstera deliciosa", "tag": "climber"})
for plant in call("GET", "/plants"):
    print(plant["name"], plant.get("tag", ""))
call("DELETE", f"/plants/{ID}")
