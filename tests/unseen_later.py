"""A second set of kinds and carriers, unlike the first, on which the rules were measured after they were mended.

They took .8872 of its 53 kinds (200 each, seed 1), before they were mended after it too.
"""

import random
import string
from collections.abc import Callable
from typing import Final

from tests.unseen_carriers import Carry, Named, Planted, as_base64, as_url, carried
from tests.unseen_secrets import ALNUM, BASE64, HEX, UPPER, URL_SAFE, Make, chars, joined, one_of, password

FIXED: Final[dict[str, Make]] = {
    "linear": joined("lin" + "_api_", chars(ALNUM, 40)),
    "notion": one_of(
        joined("nt" + "n_", chars("123456789", 11), chars(ALNUM, 35)), joined("sec" + "ret_", chars(ALNUM, 43))
    ),
    "postman": joined("PM" + "AK-", chars(HEX, 24), "-", chars(HEX, 34)),
    "doppler": joined("dp" + ".pt.", chars(ALNUM, 43)),
    "supabase": joined("sb" + "p_", chars(HEX, 40)),
    "figma": joined("fig" + "d_", chars(URL_SAFE, 40)),
    "airtable": joined("pat", chars(ALNUM, 14), ".", chars(HEX, 64)),
    "atlassian": joined("ATATT3x" + "FfGF0", chars(URL_SAFE, 171), "=", chars(UPPER[:6] + "0123456789", 8)),
    "planetscale": joined("pscale" + "_tkn_", chars(URL_SAFE, 43)),
    "grafana": joined("gl" + "sa_", chars(ALNUM, 32), "_", chars(HEX, 8)),
    "terraform_cloud": joined(chars(ALNUM, 14), ".atlas" + "v1.", chars(ALNUM, 67)),
    "age": joined("AGE-SECRET" + "-KEY-1", chars("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "rubygems": joined("ruby" + "gems_", chars(HEX, 48)),
    "crates": joined("ci" + "o", chars(ALNUM, 32)),
    "groq": joined("gs" + "k_", chars(ALNUM, 52)),
    "replicate": joined("r" + "8_", chars(ALNUM, 37)),
    "xai": joined("x" + "ai-", chars(ALNUM, 80)),
    "perplexity": joined("pp" + "lx-", chars(ALNUM, 48)),
    "pulumi": joined("pu" + "l-", chars(HEX, 40)),
    "brevo": joined("xkey" + "sib-", chars(HEX, 64), "-", chars(ALNUM, 16)),
    "mailchimp": joined(chars(HEX, 32), "-us", chars("123456789", 2)),
    "langsmith": joined("ls" + "v2_pt_", chars(HEX, 32), "_", chars(HEX, 10)),
    "sonar": joined("sq" + "u_", chars(HEX, 40)),
    "typeform": joined("tf" + "p_", chars(URL_SAFE, 44), "_", chars(ALNUM, 14)),
    "contentful": joined("CF" + "PAT-", chars(URL_SAFE, 43)),
    "pinecone": joined("pc" + "sk_", chars(ALNUM, 5), "_", chars(ALNUM, 63)),
    "resend": joined("r" + "e_", chars(ALNUM, 8), "_", chars(ALNUM, 24)),
    "nuget": joined("oy" + "2", chars(string.ascii_lowercase + "234567", 43)),
    "buildkite": joined("bk" + "ua_", chars(HEX, 40)),
}

KEYED: Final[dict[str, tuple[list[tuple[str, ...]], Make]]] = {
    "wandb": ([("wandb", "api", "key")], chars(HEX, 40)),
    "cohere": ([("cohere", "api", "key"), ("co", "api", "key")], chars(ALNUM, 40)),
    "django_secret": (
        [("django", "secret", "key"), ("secret", "key")],
        chars(string.ascii_lowercase + "0123456789!@#%^*(-_=+)", 50),
    ),
    "rails_secret": ([("secret", "key", "base"), ("rails", "master", "key")], one_of(chars(HEX, 128), chars(HEX, 32))),
    "webhook_secret": ([("webhook", "secret"), ("hook", "secret")], chars(ALNUM, 32)),
    "aws_session": ([("aws", "session", "token")], joined("IQo", chars(BASE64, 300), "==")),
    "aws_secret_later": ([("aws", "secret", "access", "key")], chars(BASE64, 40)),
    "password_later": ([("db", "password"), ("redis", "password"), ("mail", "password"), ("password",)], password),
    "api_key_later": ([("maps", "api", "key"), ("api", "key"), ("search", "key")], chars(ALNUM, 36)),
    "token_later": (
        [("bot", "token"), ("refresh", "token"), ("api", "token"), ("ci", "job", "token")],
        chars(URL_SAFE, 40),
    ),
    "private_token": ([("private", "token"), ("registry", "token")], chars(ALNUM, 20)),
}

CARRIERS: Final[dict[str, Carry]] = {
    "playbook": carried('- hosts: all\n  vars:\n    {n.snake}: "{v}"\n    port: {port}\n'),
    "ruby hash": carried('client = Client.new(:host => "db", :{n.snake} => "{v}", :port => {port})\n'),
    "php define": carried("define('{n.upper}', '{v}');\n"),
    "php array": carried("$config['{n.snake}'] = '{v}';\n"),
    "php arrow": carried("return ['host' => 'db', '{n.snake}' => '{v}'];\n"),
    "elixir": carried('config :app, App.Client, {n.snake}: "{v}", port: {port}\n'),
    "rust debug": carried('Config {{ port: {port}, {n.snake}: "{v}", debug: false }}\n'),
    "rust some": carried('Config {{ port: {port}, {n.snake}: Some("{v}") }}\n'),
    "process env": carried("process.env.{n.upper} = '{v}';\n"),
    "script constant": carried('const {n.camel} = "{v}";\n'),
    "typed constant": carried('private static final String {n.upper} = "{v}";\n'),
    "indexer": carried('settings["{n.pascal}"] = "{v}";\n'),
    "cmd set": carried("C:\\app> set {n.upper}={v}\n"),
    "cmd setx": carried('C:\\app> setx {n.upper} "{v}"\n'),
    "fish": carried("set -gx {n.upper} {v}\n"),
    "unit file": carried('[Service]\nEnvironment="{n.upper}={v}"\nExecStart=/usr/bin/app\n'),
    "run -e": carried("docker run --rm -e {n.upper}={v} -p 80:80 app\n"),
    "compose": carried("    environment:\n      - {n.upper}={v}\n      - PORT={port}\n"),
    "helm": carried("helm upgrade app . --set auth.{n.camel}={v} --set port={port}\n"),
    "from literal": carried("kubectl create secret generic app --from-literal={n.kebab}={v}\n"),
    "flag": carried("./serve --port {port} --{n.kebab} {v} --verbose\n"),
    "flag equals": carried("./serve --{n.kebab}={v} --port={port}\n"),
    "logfmt": carried('level=info msg="client ready" {n.snake}={v} port={port}\n'),
    "key and value": carried('{{"key": "{n.snake}", "value": "{v}", "enabled": true}}\n'),
    "name and value": carried('{{"name": "{n.upper}", "value": "{v}"}}\n'),
    "table": carried("| {n.snake} | {v} |\n| port | {port} |\n"),
    "prose": carried("The {n.snake} is {v} and the port is {port}.\n"),
    "prose ticks": carried("Set `{n.upper}` to `{v}` first.\n"),
    "to string": carried("Client{{host='db', {n.camel}='{v}', port={port}}}\n"),
    "text message": carried('client {{\n  port: {port}\n  {n.snake}: "{v}"\n}}\n'),
    "folded": carried("{n.snake}: >-\n  {v}\nport: {port}\n"),
    "heroku config": carried("=== app Config Vars\nPORT:            {port}\n{n.upper}:   {v}\n"),
    "diff": carried("-{n.upper}=changeme\n+{n.upper}={v}\n"),
    "environ": carried('os.environ["{n.upper}"] = "{v}"\n'),
    "default": carried('{n.snake} = os.getenv("{n.upper}", "{v}")\n'),
    "group variable": carried("env:\n  - name: {n.upper}\n    value: {v}\n"),
    "query in header": carried("Referer: https://app.example.org/cb?{n.snake}={v}&state=ok\n", encode=as_url),
    "encoded form": carried("> grant=code&{n.snake}={v}&scope=all\n", encode=as_url),
    "escaped twice": carried('{{"a": "echo \\"{n.upper}={v}\\" >> .env"}}\n'),
}

BARE: Final[dict[str, Carry]] = {
    "stdin": carried("echo {v} | docker login -u app --password-stdin\n"),
    "here string": carried("gh auth login --with-token <<< {v}\n"),
    "x-auth": carried('wget --header="X-Auth-Token: {v}" https://api.example.org\n'),
    "prose token": carried("Use {v} for the staging account, please.\n"),
    "comment": carried("# {v}\n"),
    "parenthesis": carried("login({v!r})\n"),
    "path": carried("wrote /tmp/{v}.txt\n"),
    "arrow": carried("credential -> {v}\n"),
}


def _whole(
    templates: list[str], make: Make, *, encode: Callable[[str], str] = str
) -> Callable[[random.Random], Planted]:
    def draw(rng: random.Random) -> Planted:
        value = encode(make(rng))
        return Planted(value, rng.choice(templates).format(v=value))

    return draw


def _credentials(rng: random.Random) -> Planted:
    value, key = chars(BASE64, 40)(rng), "AK" + "IA" + chars(UPPER, 16)(rng)
    if rng.random() < 0.5:
        return Planted(value, f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {value}\n")
    return Planted(
        value, f'{{"Credentials": {{"AccessKeyId": "{key}", "SecretAccessKey": "{value}", "SessionToken": "x"}}}}'
    )


def _armored_key(rng: random.Random) -> Planted:
    lines = [chars(BASE64, 64)(rng) for _ in range(12)]
    name = "PGP PRIVATE" + " KEY BLOCK"
    return Planted(
        rng.choice(lines), "\n".join([f"-----BEGIN {name}-----", "", *lines, "=ab3d", f"-----END {name}-----"])
    )


WHOLE: Final[dict[str, Callable[[random.Random], Planted]]] = {
    "mysql_flag": _whole(
        ["mysql -u root -p{v} shop", "mysqldump --user=app --password={v} shop > d.sql", "MYSQL_PWD={v} mysql shop"],
        chars(ALNUM, 16),
    ),
    "psql": _whole(["PGPASSWORD={v} psql -h db -U app", "export PGPASSWORD='{v}'; pg_dump app"], password),
    "sshpass": _whole(["sshpass -p '{v}' ssh root@db", 'sshpass -p "{v}" scp a db:'], password),
    "login_flag": _whole(
        [
            "docker login -u app -p {v} r.example.org",
            "curl --user app:{v} https://api.example.org",
            "az login --username a@example.org --password {v}",
        ],
        chars(ALNUM, 18),
    ),
    "sql": _whole(
        [
            "CREATE USER app WITH PASSWORD '{v}';",
            "ALTER ROLE app PASSWORD '{v}';",
            "CREATE USER 'a'@'%' IDENTIFIED BY '{v}';",
        ],
        password,
    ),
    "redis_conf": _whole(
        ["requirepass {v}\nport 6379\n", "redis-cli -a {v} ping", "127.0.0.1:6379> AUTH {v}\nOK\n"], chars(ALNUM, 20)
    ),
    "odbc": _whole(
        ["Driver={{ODBC}};Server=db;Uid=sa;Pwd={v};", "Data Source=db;User Id=app;Password={v};Pooling=true"], password
    ),
    "url_other": _whole(
        [
            "https://admin:{v}@api.example.org/v1",
            "ftp://app:{v}@files.example.org/",
            "smtp://app:{v}@mail.example.org:587",
            "clickhouse://app:{v}@ch/default",
            "http://app:{v}@proxy.example.org:3128",
        ],
        password,
        encode=as_url,
    ),
    "extra_header": _whole(
        ["git -c http.extraheader='AUTHORIZATION: basic {v}' fetch", "Proxy-Authorization: Basic {v}\n"],
        lambda rng: as_base64("x:" + chars(ALNUM, 30)(rng)),
    ),
    "wireless": _whole(['network={{\n  ssid="home"\n  psk="{v}"\n}}'], password),
    "docker_auth": _whole(
        ['{{"auths": {{"r.example.org": {{"auth": "{v}"}}}}}}'], lambda rng: as_base64("app:" + chars(ALNUM, 24)(rng))
    ),
    "credentials": _credentials,
    "armored_key": _armored_key,
}

KINDS: Final = (*FIXED, *KEYED, *WHOLE)


def draw_later(kind: str, rng: random.Random) -> tuple[str, Planted]:
    """Return the carrier's name and a secret of the kind in it."""
    if kind in WHOLE:
        return kind, WHOLE[kind](rng)
    if kind in KEYED:
        names, make = KEYED[kind]
        carriers = CARRIERS
    else:
        names, make, carriers = [(kind, "token"), (kind, "api", "key"), ("credential",)], FIXED[kind], CARRIERS | BARE
    carrier = rng.choice(sorted(carriers))
    return carrier, carriers[carrier](Named(rng.choice(names), make(rng)), rng)
