"""An S3 server in a process of its own, with buckets and keys as a test wants them."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from boto3.session import Session

ADMIN = ("admin", "admin-secret")
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Key:
    """What a process needs to sign its requests."""

    access: str
    secret: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables that boto3 reads."""
        return {
            "AWS_ACCESS_KEY_ID": self.access,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_DEFAULT_REGION": "us-east-1",
        }


@dataclass(frozen=True)
class S3Server:
    """A running server; `admin` may do everything."""

    endpoint: str
    admin: Key

    def client(self, service: str = "s3", key: Key | None = None) -> Any:
        """A client of boto3's own, to look behind the farm's back."""
        chosen = key or self.admin
        session: Any = Session(chosen.access, chosen.secret, region_name="us-east-1")
        return session.client(service, endpoint_url=self.endpoint)

    def make_bucket(self, name: str) -> None:
        self.client().create_bucket(Bucket=name)

    def make_key(self, name: str, *statements: dict[str, object]) -> Key:
        """The key of a new user who may do what `statements` of a policy allow."""
        iam = self.client("iam")
        iam.create_user(UserName=name)
        policy = {"Version": "2012-10-17", "Statement": list(statements)}
        iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=json.dumps(policy))
        made = iam.create_access_key(UserName=name)["AccessKey"]
        return Key(made["AccessKeyId"], made["SecretAccessKey"])

    def ask_for_keys(self) -> None:
        """From now on every request is compared with what its key may do; `admin` is nobody."""
        _post(f"{self.endpoint}/moto-api/reset-auth", b"0")


def allow(bucket: str, *actions: str) -> dict[str, object]:
    """A statement that allows actions on the objects of a bucket, and on the bucket."""
    places = [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]
    return {"Effect": "Allow", "Action": list(actions), "Resource": places}


@contextmanager
def s3_server() -> Generator[S3Server]:
    """A server on a free port, gone at the end of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "moto.server",
        "-H",
        "127.0.0.1",
        "-p",
        f"{port}",
    ]
    environ = {**os.environ, "PYTHONWARNINGS": "ignore"}
    server = subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        endpoint = f"http://127.0.0.1:{port}"
        _wait_for(endpoint, server)
        yield S3Server(endpoint, Key(*ADMIN))
    finally:
        server.kill()
        server.wait()


def _wait_for(endpoint: str, server: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            assert server.poll() is None, "the S3 server ended"
            assert time.monotonic() < give_up, "the S3 server does not answer"
            time.sleep(0.1)
        else:
            return


def _post(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, body, {"Content-Type": "text/plain"}, method="POST")
    urllib.request.urlopen(request, timeout=10).close()
