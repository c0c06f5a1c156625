"""Names that secrets go by, in the words of many languages, vendors and settings, and the values they hold."""

import base64
import random
import string
from typing import Final

from tests.unseen_prints import BASE58, LOWER36, UPPER36
from tests.unseen_secrets import ALNUM, BASE64, HEX, URL_SAFE, Make, chars, joined, jwt, one_of, uuid

_NOUNS: Final = (
    *("maple", "Falcon", "winter", "Copper", "orchid", "Dragon", "summer", "Pepper", "monkey", "Tiger"),
    *("galaxy", "Cookie", "shadow", "Hunter", "planet", "Bruno", "coffee", "Ocean", "purple", "Rocket"),
)


def human_password(rng: random.Random) -> str:
    """Draw a password as people choose them."""
    one, two = rng.sample(_NOUNS, 2)
    return rng.choice(
        [
            lambda: one.capitalize() + str(rng.randint(1950, 2030)) + rng.choice("!@#*?"),
            lambda: one.lower() + two.capitalize() + str(rng.randint(10, 999)),
            lambda: one.capitalize().replace("o", "0").replace("a", "@") + two.lower() + rng.choice("!7"),
            lambda: rng.choice("!#@") + one + rng.choice("_-.") + two + str(rng.randint(1, 99)),
            lambda: one.lower() + str(rng.randint(100, 99999)) + rng.choice(["", "!", "x"]),
            lambda: rng.choice("PQTX") + "@ss" + two.lower() + str(rng.randint(10, 9999)),
        ]
    )()


def passphrase(rng: random.Random) -> str:
    """Draw words joined by a sign."""
    sign = rng.choice("-_.+!")
    return sign.join(rng.sample(_NOUNS, rng.randint(4, 5))) + rng.choice(["", str(rng.randint(1, 99))])


def strong_password(rng: random.Random) -> str:
    """Draw what a password manager makes."""
    return rng.choice(string.ascii_letters) + "".join(rng.choices(ALNUM + "!@#%^*-_+=?.~", k=rng.randint(11, 24)))


def _encoded(make: Make) -> Make:
    return lambda rng: base64.b64encode(make(rng).encode()).decode()


_LENGTHS: Final = (16, 20, 24, 32, 40, 48, 64)
_OPAQUE: Final = one_of(
    *(chars(alphabet, length) for alphabet in (ALNUM, URL_SAFE) for length in _LENGTHS), chars(HEX, 32), chars(HEX, 40)
)

# Each kind: the names it goes by, words in lower case, and how to draw a value.
KINDS: Final[dict[str, tuple[tuple[str, ...], Make]]] = {
    "creds": ("creds|db creds|service creds|robot creds|creds value|login creds", _OPAQUE),
    "bearer": ("bearer|bearer token|api bearer|auth bearer|bearer auth|upstream bearer", _OPAQUE),
    "session": (
        "session token|session cookie|auth cookie|session secret|csrf token|xsrf token|cookie secret|session key",
        one_of(chars(ALNUM, 32), chars(HEX, 64), chars(URL_SAFE, 43)),
    ),
    "pat": ("github pat|azure devops pat|pat token|personal access token|gitlab pat|ado pat", chars(LOWER36, 52)),
    "signature": ("hmac key|hmac secret|signing key|webhook signing secret|signature key|sign key", chars(HEX, 64)),
    "otp": (
        "otp secret|totp seed|totp secret|mfa seed|two factor secret|otp seed",
        chars(string.ascii_uppercase + "234567", 32),
    ),
    "passcode": (
        "passcode|door passcode|pin code secret|device passcode|app passcode|voicemail passcode",
        chars(ALNUM, 8),
    ),
    "store": (
        "keystore password|truststore password|key store pass|ssl keystore password|store password|trust store pwd",
        one_of(human_password, chars(ALNUM, 14), strong_password),
    ),
    "database": (
        "db pass|postgres password|mysql root password|database passwd|redis auth|mongo pwd|rabbitmq default pass",
        one_of(human_password, strong_password),
    ),
    "login": (
        "user password|admin pass|root pwd|ldap bind password|login password|admin password|bind pw",
        human_password,
    ),
    "phrase": (
        "passphrase|gpg passphrase|ssh key passphrase|wallet passphrase|backup passphrase|vault passphrase",
        passphrase,
    ),
    "strong": (
        "smtp password|mail pass|proxy password|sudo password|become pass|ftp password|wifi password",
        strong_password,
    ),
    "client": ("client secret|oauth client secret|consumer secret|app secret|idp client secret|oidc secret", _OPAQUE),
    "short key": ("api key|service key|map key|licence key|license key|partner key", chars(ALNUM, 12)),
    "hex 16": ("api secret|app key|client token|device token|push key|iot secret", chars(HEX, 16)),
    "hex 48": ("encryption key|aes key|cipher key|data key|fernet secret|field encryption key", chars(HEX, 48)),
    "upper 32": (
        "access key|activation code|activation key|vendor key|registration token|enrollment token",
        chars(UPPER36, 32),
    ),
    "lower 20": ("auth token|device secret|join token|cluster token|agent token|node token", chars(LOWER36, 20)),
    "base62 22": ("account token|read token|write key|ingest key|publish key|project token", chars(ALNUM, 22)),
    "base58 44": (
        "solana private key|wallet secret|signer key|private key|deployer key|minter private key",
        chars(BASE58, 44),
    ),
    "base64 24": (
        "shared key|nonce secret|erlang cookie secret|gossip key|encrypt key|mesh secret",
        joined(chars(BASE64, 22), "=="),
    ),
    "base64 128": (
        "storage key|cosmos db key|event hub key|service bus key|iot hub key|search admin key",
        joined(chars(BASE64, 86), "=="),
    ),
    "url safe 64": (
        "refresh token|access token|id token|impersonation token|oauth token|offline token",
        chars(URL_SAFE, 64),
    ),
    "uuid": ("api token|client key|tenant secret|integration key|pager key|heartbeat token", uuid),
    "dotted": (
        "bot token|gateway token|channel access token|app token|relay token",
        joined(chars(ALNUM, 24), ".", chars(ALNUM, 6), ".", chars(URL_SAFE, 27)),
    ),
    "groups": (
        "serial key|product key|recovery key|license code|unlock code|backup code",
        lambda rng: "-".join(chars(UPPER36, 5)(rng) for _ in range(5)),
    ),
    "app prefix": (
        "api key|access token|secret key|service token|account key|workspace token",
        joined(
            one_of(
                joined("zq_"), joined("acme-sk-"), joined("vx1_"), joined("kite_live_"), joined("nbl."), joined("uXk-")
            ),
            chars(ALNUM, 28),
        ),
    ),
    "jwt": ("jwt|service jwt|auth jwt|license jwt|anon key|service role key", jwt),
    "colon": (
        "bot token|basic auth|api credentials|auth pair|registry auth",
        joined(chars(LOWER36, 9), ":", chars(ALNUM, 26)),
    ),
    "wrapped": (
        "docker auth|registry auth|basic auth|encoded password|auth config|npm auth",
        _encoded(joined("deploy:", chars(ALNUM, 18))),
    ),
    "cloud": (
        "secret access key|aws secret key|s3 secret key|minio secret key|spaces secret|r2 secret access key",
        chars(BASE64, 40),
    ),
    "vault": (
        "vault token|unseal key|root token|recovery share|approle secret id|wrapping token",
        one_of(joined("s.", chars(ALNUM, 24)), joined(chars(BASE64, 43), "=")),
    ),
    "long": (
        "jwt secret|app secret key|secret key base|master key|session secret key|pepper secret",
        one_of(chars(HEX, 128), chars(ALNUM, 96)),
    ),
}


def names_of(kind: str) -> list[tuple[str, ...]]:
    return [tuple(name.split()) for name in KINDS[kind][0].split("|")]
