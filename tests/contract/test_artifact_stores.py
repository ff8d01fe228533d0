"""What every store of artifacts keeps to: a folder, one that others write to, S3, two as one.

TEST_S3_ENDPOINT, with keys as boto3 reads them, lets the suite run against another S3 server.
"""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from models.canonical import digest_of_bytes
from models.errors import Infrastructure, NotFound
from models.settings import Settings, read_settings
from models.storage.artifact_opening import (
    open_agent_artifacts,
    open_artifacts,
    open_farm_artifacts,
    open_prunable_stores,
)
from models.storage.artifacts import ArtifactStore
from models.storage.s3_artifacts import PART_BYTES
from tests.fakes.s3_server import Key, S3Server, allow, s3_server

BUCKET = f"gradefarm-{secrets.token_hex(4)}"
LARGE = 2 * PART_BYTES + 12_345
KINDS = ("folder", "foreign", "s3", "joined")


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    if given := os.environ.get("TEST_S3_ENDPOINT"):
        key = Key(os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"])
        server = S3Server(given, key)
        server.make_bucket(BUCKET)
        yield server
        return
    with s3_server() as server:
        server.make_bucket(BUCKET)
        yield server


@pytest.fixture
def signed(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    for name, value in s3.admin.environment.items():
        monkeypatch.setenv(name, value)
    return s3


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ArtifactStore:
    if request.param == "s3":
        s3: S3Server = request.getfixturevalue("signed")
        return open_artifacts(f"s3://{BUCKET}/{secrets.token_hex(4)}/a b", s3.endpoint)
    if request.param == "joined":
        places = {"ARTIFACTS_URL": "main", "AGENT_ARTIFACTS_URL": "agents"}
        environ = {f"GRADEFARM_{name}": f"file://{tmp_path / at}" for name, at in places.items()}
        return open_farm_artifacts(read_settings({"GRADEFARM_HOME": str(tmp_path), **environ}))
    return open_artifacts(f"file://{tmp_path / 'a b'}", foreign=request.param == "foreign")


def many_bytes(size: int) -> Iterator[bytes]:
    """Bytes of which no two parts are alike."""
    for start in range(0, size, 1 << 16):
        yield (start.to_bytes(8) * (1 << 13))[: min(1 << 16, size - start)]


@pytest.mark.parametrize("data", [b"", b"x", b"evidence\0\r\n" * 99])
def test_what_is_put_is_got_back_by_its_digest(store: ArtifactStore, data: bytes) -> None:
    assert not store.has(digest_of_bytes(data))
    digest = store.put(data)
    assert digest == digest_of_bytes(data) == store.put(data)
    assert store.has(digest)
    assert store.get(digest) == data
    with store.open(digest) as file:
        assert file.read() == data


def test_what_is_large_comes_in_parts_and_is_the_same_artifact(store: ArtifactStore) -> None:
    whole = b"".join(many_bytes(LARGE))
    digest = store.put_chunks(lambda: many_bytes(LARGE))
    assert digest == digest_of_bytes(whole) == store.put(whole)
    with store.open(digest) as file:
        assert file.read() == whole


def test_an_artifact_that_was_never_put_is_not_found(store: ArtifactStore) -> None:
    digest = digest_of_bytes(b"nothing")
    for ask in (store.get, store.open):
        with pytest.raises(NotFound, match="GRADEFARM_ARTIFACTS_URL"):
            ask(digest)


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:../../etc/passwd", "md5:" + "a" * 64])
def test_what_is_no_digest_never_becomes_a_place(store: ArtifactStore, digest: str) -> None:
    for ask in (store.get, store.has):
        with pytest.raises(NotFound):
            ask(digest)


def test_many_put_the_same_at_once_and_all_are_told_the_same(store: ArtifactStore) -> None:
    told: list[str] = []
    threads = [
        threading.Thread(target=lambda: told.append(store.put(b"the same" * 999))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(told) == {digest_of_bytes(b"the same" * 999)}
    assert len(told) == 6
    assert store.get(told[0]) == b"the same" * 999


@pytest.mark.parametrize("size", [9, LARGE])
def test_what_somebody_changed_is_refused_and_mended_by_putting_it_again(
    signed: S3Server, size: int
) -> None:
    store = open_artifacts(f"s3://{BUCKET}/changed", signed.endpoint)
    digest = store.put_chunks(lambda: many_bytes(size))
    name = digest.removeprefix("sha256:")
    key = f"changed/{name[:2]}/{name}"
    assert signed.client().head_object(Bucket=BUCKET, Key=key)["ContentLength"] == size
    signed.client().put_object(Bucket=BUCKET, Key=key, Body=b"forged")
    with pytest.raises(Infrastructure, match="was changed after it was stored"):
        store.get(digest)
    store.put_chunks(lambda: many_bytes(size))
    assert store.get(digest) == b"".join(many_bytes(size))


def test_nothing_of_an_upload_that_broke_off_is_seen_or_left(signed: S3Server) -> None:
    store = open_artifacts(f"s3://{BUCKET}/broken", signed.endpoint)

    def broken() -> Iterator[bytes]:
        nonlocal goes
        goes += 1
        for number, chunk in enumerate(many_bytes(LARGE)):
            if goes == 2 and number == 200:
                raise KeyboardInterrupt
            yield chunk

    goes = 0
    with pytest.raises(KeyboardInterrupt):
        store.put_chunks(broken)
    listed = signed.client().list_objects_v2(Bucket=BUCKET, Prefix="broken/")
    assert listed["KeyCount"] == 0
    uploads = signed.client().list_multipart_uploads(Bucket=BUCKET, Prefix="broken/")
    assert not uploads.get("Uploads")


def test_bytes_that_change_between_two_looks_are_not_kept(signed: S3Server) -> None:
    store = open_artifacts(f"s3://{BUCKET}", signed.endpoint)
    goes = iter((b"a", b"b"))

    def changing() -> Iterator[bytes]:
        yield from (next(goes) * PART_BYTES, b"more")

    with pytest.raises(Infrastructure, match="changed while it was being kept"):
        store.put_chunks(changing)


def test_a_bucket_that_is_not_there_is_named_with_what_to_do(signed: S3Server) -> None:
    store = open_artifacts("s3://no-such-bucket-anywhere", signed.endpoint)
    for ask in (lambda: store.put(b"x"), lambda: store.get(digest_of_bytes(b"x"))):
        with pytest.raises(Infrastructure, match="NoSuchBucket") as caught:
            ask()
        assert "Create the bucket" in str(caught.value)


class Answers(BaseHTTPRequestHandler):
    """A server that gives one answer after another: (status, code, body)."""

    script: ClassVar[list[tuple[int, str, bytes]]] = []
    asked: ClassVar[list[str]] = []

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.asked.append(f"{self.command} {self.headers.get('If-None-Match', '')}".strip())
        status, code, body = self.script.pop(0) if self.script else (200, "", b"")
        if code:
            body = f"<Error><Code>{code}</Code><Message>said so</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + (50 if body == b"half" else 0)))
        self.send_header("ETag", '"tag"')
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def said() -> Iterator[Callable[..., ArtifactStore]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def store(*script: tuple[int, str, bytes]) -> ArtifactStore:
        Answers.script, Answers.asked = list(script), []
        return open_artifacts("s3://bucket", f"http://127.0.0.1:{server.server_port}")

    yield store
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("answer", "category"),
    [
        ((403, "QuotaExceeded", b""), "disk_full"),
        ((507, "Whatever", b""), "disk_full"),
        ((403, "AccessDenied", b""), "unknown"),
        ((400, "OddRequest", b""), "unknown"),
    ],
)
@pytest.mark.usefixtures("signed")
def test_what_a_server_refuses_has_a_category(
    said: Callable[..., ArtifactStore], answer: tuple[int, str, bytes], category: str
) -> None:
    with pytest.raises(Infrastructure, match=answer[1]) as caught:
        said(answer).put(b"x")
    assert caught.value.category == category


@pytest.mark.usefixtures("signed")
def test_a_server_that_is_busy_is_asked_again(said: Callable[..., ArtifactStore]) -> None:
    said((503, "SlowDown", b""), (500, "InternalError", b"")).put(b"x")
    assert Answers.asked == ["PUT *"] * 3


@pytest.mark.usefixtures("signed")
def test_a_server_that_knows_no_conditions_is_not_bothered_with_them_again(
    said: Callable[..., ArtifactStore],
) -> None:
    store = said((501, "NotImplemented", b""))
    store.put(b"x")
    store.put(b"y")
    assert Answers.asked == ["PUT *", "PUT", "PUT"]


@pytest.mark.usefixtures("signed")
def test_a_key_that_may_write_only_where_nothing_is_keeps_what_is_there(
    said: Callable[..., ArtifactStore],
) -> None:
    store = said((412, "PreconditionFailed", b""), (403, "", b""), (403, "AccessDenied", b""))
    assert store.put(b"x") == digest_of_bytes(b"x")
    assert Answers.asked == ["PUT *", "HEAD", "PUT"]


BEGUN = (200, "", b"<R><UploadId>u</UploadId></R>")
TAG, NO, NONE = (200, "", b""), (403, "", b""), (404, "", b"")
CONFLICT = (409, "ConditionalRequestConflict", b"")


@pytest.mark.usefixtures("signed")
def test_who_completes_an_upload_as_another_does_needs_no_right_to_look(
    said: Callable[..., ArtifactStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.storage.s3_artifacts.PART_BYTES", 4)
    store = said(NO, (403, "AccessDenied", b""), BEGUN, TAG, TAG, CONFLICT, NO, (204, "", b""))
    assert store.put(b"parted") == digest_of_bytes(b"parted")
    assert Answers.asked == ["HEAD", "GET", "POST", "PUT", "PUT", "POST *", "HEAD", "DELETE"]


@pytest.mark.usefixtures("signed")
def test_what_was_removed_while_it_was_put_is_sent_again_whole(
    said: Callable[..., ArtifactStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(CONFLICT, NONE).put(b"x")
    assert Answers.asked == ["PUT *", "HEAD", "PUT *"]
    with pytest.raises(Infrastructure, match="was removed 4 times"):
        said(*(CONFLICT, NONE) * 4).put(b"x")
    monkeypatch.setattr("models.storage.s3_artifacts.PART_BYTES", 4)
    parts = (BEGUN, TAG, TAG)
    store = said(NONE, TAG, *parts, CONFLICT, NONE, TAG, NONE, *parts, (200, "", b"<R></R>"))
    assert store.put(b"parted") == digest_of_bytes(b"parted")
    first = ["HEAD", "GET", "POST", "PUT", "PUT", "POST *", "HEAD", "DELETE"]
    assert Answers.asked == [*first, "HEAD", "POST", "PUT", "PUT", "POST *"]


@pytest.mark.usefixtures("signed")
def test_an_answer_that_breaks_off_is_asked_for_again(said: Callable[..., ArtifactStore]) -> None:
    store = said((200, "", b"half"), (200, "", b"halfwhole"))
    assert store.get(digest_of_bytes(b"halfwhole")) == b"halfwhole"


@pytest.mark.usefixtures("signed")
def test_a_server_that_is_not_there_is_infrastructure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.storage.s3_client.TRIES", 1)
    with pytest.raises(Infrastructure, match="GRADEFARM_S3_ENDPOINT"):
        open_artifacts("s3://bucket", "http://127.0.0.1:9").put(b"x")


def test_a_key_that_may_only_put_is_enough_for_an_agent_worker_and_for_nothing_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with s3_server() as server:
        for bucket in ("agents", "main"):
            server.make_bucket(bucket)
        agent = server.make_key("agent", allow("agents", "s3:PutObject"))
        grader = server.make_key(
            "grader", allow("main", "s3:*"), allow("agents", "s3:GetObject", "s3:ListBucket")
        )
        server.ask_for_keys()
        environ = {
            "GRADEFARM_HOME": str(tmp_path),
            "GRADEFARM_S3_ENDPOINT": server.endpoint,
            "GRADEFARM_ARTIFACTS_URL": "s3://main/farm",
            "GRADEFARM_AGENT_ARTIFACTS_URL": "s3://agents/farm",
        }
        settings = read_settings(environ)

        def sign(key: Key) -> None:
            for name, value in key.environment.items():
                monkeypatch.setenv(name, value)

        sign(agent)
        of_agent = open_agent_artifacts(settings)
        small = of_agent.put(b"what an agent left")
        large = of_agent.put_chunks(lambda: many_bytes(LARGE))
        assert of_agent.put(b"what an agent left") == small
        assert of_agent.put_chunks(lambda: many_bytes(LARGE)) == large
        for ask in (
            lambda: of_agent.get(small),
            lambda: open_artifacts(settings.artifacts_url, server.endpoint).put(b"x"),
            lambda: open_artifacts(settings.artifacts_url, server.endpoint).get(small),
        ):
            with pytest.raises(Infrastructure, match=r"AccessDenied|403"):
                ask()
        sign(grader)
        both = open_farm_artifacts(settings)
        assert both.get(small) == b"what an agent left"
        assert both.get(large) == b"".join(many_bytes(LARGE))
        kept = both.put(b"a report")
        assert not open_artifacts(settings.agent_artifacts_url, server.endpoint).has(kept)
        assert both.get(kept) == b"a report"


@pytest.fixture(params=["folder", "s3"])
def of_one_store(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Of a farm with one empty store, of each prunable kind."""
    url = f"file://{tmp_path / 'store'}"
    environ = {"GRADEFARM_HOME": str(tmp_path), "GRADEFARM_ARTIFACTS_URL": url}
    if request.param == "s3":
        s3: S3Server = request.getfixturevalue("signed")
        environ["GRADEFARM_ARTIFACTS_URL"] = f"s3://{BUCKET}/{secrets.token_hex(4)}"
        environ["GRADEFARM_S3_ENDPOINT"] = s3.endpoint
    return read_settings(environ)


def test_an_artifact_that_is_put_again_is_as_young_as_a_new_one(
    of_one_store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run keeps while somebody prunes must not be what pruning takes for old."""
    monkeypatch.setattr("models.storage.s3_artifacts.FRESH_S", 0.0)
    store = open_farm_artifacts(of_one_store)
    [prunable] = open_prunable_stores(of_one_store)
    digests = {store.put(b"small"), store.put_chunks(lambda: many_bytes(LARGE))}
    # Stores tell whole seconds.
    mark = time.time() + 1
    assert dict(prunable.stale(mark)).keys() == digests
    time.sleep(2)
    assert {store.put(b"small"), store.put_chunks(lambda: many_bytes(LARGE))} == digests
    assert dict(prunable.stale(mark)) == {}
    assert store.get(digest_of_bytes(b"small")) == b"small"


def test_old_artifacts_are_listed_with_their_sizes_and_removed(of_one_store: Settings) -> None:
    store = open_farm_artifacts(of_one_store)
    [prunable] = open_prunable_stores(of_one_store)
    put = {store.put(data): len(data) for data in (b"", b"one", b"and another")}
    assert list(prunable.stale(time.time() - 60)) == []
    assert dict(prunable.stale(time.time() + 60)) == put
    gone = digest_of_bytes(b"one")
    prunable.remove(gone)
    prunable.remove(gone)
    assert not store.has(gone)
    assert dict(prunable.stale(time.time() + 60)) == {
        digest: size for digest, size in put.items() if digest != gone
    }
