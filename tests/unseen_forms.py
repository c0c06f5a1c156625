"""Texts that hold a secret in a form of their own, one a line: `~v` is the secret, `~n`, `~t`, `~r` white space.

`~u` is a URL, `~h` a header of name `~k` and value `~w`. Written without sight of the rules.
"""

from typing import Final

URLS: Final = r"""
postgres://app:~v@db:5432/app
postgresql://app%40corp:~v@db/app?sslmode=require
mysql://root:~v@10.0.0.3/x
mariadb+asyncmy://u:~v@db:3306/x
mongodb://u:~v@a:27017,b:27017/x?replicaSet=r
mongodb+srv://u:~v@c0.example.org
redis://:~v@r:6379/0
rediss://u:~v@r:6380
amqp://u:~v@mq//
kafka://u:~v@k:9092
cockroachdb://u:~v@c:26257/d
clickhouse+native://u:~v@c/d
snowflake://u:~v@acct/db
oracle+cx_oracle://u:~v@h:1521/x
mssql+pymssql://sa:~v@h/x
jdbc:postgresql://u:~v@h/x
ldap://cn=admin:~v@h:389
smtp+tls://u:~v@m:587
https://u:~v@h.example.org/x.git
ftp://u:~v@h/
sftp://u:~v@h:22/p
socks5h://u:~v@h:1080
neo4j+s://neo4j:~v@h
nats://u:~v@h:4222
bolt://u:~v@h
elasticsearch://u:~v@h:9200
cassandra://u:~v@h
influxdb://u:~v@h:8086/d
rtsp://u:~v@cam/1
mqtts://u:~v@h:8883
git+https://u:~v@h/x
http://u:~v@[::1]:80/
""".strip("\n").split("\n")
URL_FRAMES: Final = r"""
~u
DATABASE_URL="~u"
url: ~u
{"uri":"~u"}
connecting to ~u ...
<a href="~u">x</a>
could not reach ~u, retry
(~u)
export DSN='~u'
\"~u\"
--db ~u
`~u`
""".strip("\n").split("\n")
STRINGS: Final = r"""
Server=h;Database=d;User Id=sa;Password=~v;
Data Source=h;Initial Catalog=d;uid=sa;pwd=~v
Driver={ODBC Driver 18};Server=h;UID=sa;PWD=~v;Encrypt=yes
Host=h;Port=5432;Username=u;Password=~v;Database=d
host=h user=u password=~v dbname=d
host=h dbname=d password='~v'
h:6380,password=~v,ssl=True
User=sa;Pass=~v;Host=h
user id=sa;password="~v";server=h
tcp://h:9000?username=u&password=~v
jdbc:mysql://h/d?user=u&password=~v
jdbc:oracle:thin:u/~v@h:1521:x
jdbc:sqlserver://h;user=sa;password=~v;encrypt=true
sqlplus scott/~v@orcl
u/~v@//h:1521/x
h:5432:d:u:~v
*:*:*:postgres:~v
machine h login u password ~v
machine h~n  login u~n  password ~v~n
default login u password ~v
""".strip("\n").split("\n")
AZURE: Final = r"""
DefaultEndpointsProtocol=https;AccountName=a;AccountKey=~v==;EndpointSuffix=x
Endpoint=sb://a.example.org/;SharedAccessKeyName=Root;SharedAccessKey=~v=
HostName=h;DeviceId=d;SharedAccessKey=~v=
AccountEndpoint=https://a:443/;AccountKey=~v==;
Endpoint=https://a;AccessKey=~v=;Version=1.0
endpoint=https://a/;accesskey=~v==
Endpoint=https://a;Id=ab-l0-s0:x;Secret=~v=
BlobEndpoint=https://a;SharedAccessSignature=sv=2020&sig=~v%3D
InstrumentationKey=~v;IngestionEndpoint=https://a
""".strip("\n").split("\n")
HEADERS: Final = r"""
Authorization: Bearer ~v
authorization: bearer ~v
Authorization: Token ~v
Authorization: token ~v
Authorization: ApiKey ~v
Authorization: Key ~v
Authorization: SSWS ~v
Authorization: GenieKey ~v
Authorization: Bot ~v
Authorization: OAuth ~v
Authorization: Api-Token ~v
Authorization: Splunk ~v
Authorization: PVEAPIToken=u@pam!x=~v
Authorization: Token token=~v
Authorization: Token token="~v", email="x"
Authorization: Klaviyo-API-Key ~v
Authorization: ~v
Authorization: MAC id="x", mac="~v"
Authorization: Hawk id="x", mac="~v"
Authorization: Digest username="u", realm="r", nonce="1", response="~v"
Proxy-Authorization: Bearer ~v
X-Authorization: Bearer ~v
x-amz-security-token: ~v
X-Auth-Key: ~v
X-Auth-Token: ~v
X-Api-Key: ~v
apikey: ~v
Api-Key: ~v
X-Vault-Token: ~v
PRIVATE-TOKEN: ~v
JOB-TOKEN: ~v
X-GitHub-Token: ~v
X-Access-Token: ~v
X-CSRF-Token: ~v
X-Hub-Signature-256: sha256=~v
X-Shopify-Access-Token: ~v
Ocp-Apim-Subscription-Key: ~v
X-Functions-Key: ~v
DD-API-KEY: ~v
X-Figma-Token: ~v
Circle-Token: ~v
X-MBX-APIKEY: ~v
x-goog-api-key: ~v
X-Amz-Signature: ~v
WWW-Session: token=~v
Sec-WebSocket-Protocol: bearer, ~v
X-Plex-Token: ~v
X-Emby-Token: ~v
X-Session-Token: ~v
X-Parse-REST-API-Key: ~v
""".strip("\n").split("\n")
HEADER_FRAMES: Final = r"""
~h
> ~h
~h~r~nAccept: */*
curl -H '~h' https://h
curl -H "~h" https://h
-H \"~h\"
requests.get(u, headers={'~k': '~w'})
{"headers":{"~k":"~w"}}
{"name": "~k", "value": "~w"}
req.Header.Set("~k", "~w")
headers["~k"] = "~w"
.header("~k", "~w")
[~k: ~w]
('~k', '~w')
    ~k: ~w
* [HTTP/2] [1] [~h]
"~k": ["~w"]
'~k' => '~w'
http h ~k:'~w'
wget --header='~h' h
[b'~k: ~w']
~k=~w
add_header ~k "~w";
""".strip("\n").split("\n")
COOKIES: Final = r"""
Set-Cookie: sid=~v; Path=/; HttpOnly
set-cookie: session=~v; Secure
Cookie: a=b; sessionid=~v
Cookie: JSESSIONID=~v; b=c
cookie: PHPSESSID=~v
Cookie: _session_id=~v; locale=en
'Cookie': 'auth=~v'
"cookie": "token=~v; x=1"
curl -b 'session=~v' h
curl --cookie "sid=~v" h
document.cookie = 'session=~v'
cookies={'sessionid': '~v'}
requests.get(u, cookies=dict(session='~v'))
h~tFALSE~t/~tTRUE~t0~tsession~t~v
#HttpOnly_h~tFALSE~t/~tTRUE~t17~tsessionid~t~v
{"name":"sessionid","value":"~v","domain":"h"}
<Cookie session=~v for h/>
session.cookies.set('sid', '~v')
Cookie: __Secure-next-auth.session-token=~v
ASP.NET_SessionId=~v; path=/
Set-Cookie: XSRF-TOKEN=~v; Max-Age=7200
cookie: connect.sid=s%3A~v.x
driver.add_cookie({'name': 'sid', 'value': '~v'})
Cookie: laravel_session=~v
'HTTP_COOKIE': 'sessionid=~v'
--cookie=sessionid=~v
http h Cookie:sessionid=~v
cookie_jar: <Cookie sid=~v>
""".strip("\n").split("\n")
HOOKS: Final = r"""
https://hooks.slack.com/services/T01AB2CD3/B04EF5GH6/~v
https://hooks.slack.com/workflows/T01AB2CD3/A04/123/~v
https://discord.com/api/webhooks/123456789012345678/~v
https://discordapp.com/api/webhooks/123456789012345678/~v?wait=true
https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/~v/3
https://outlook.office.com/webhook/1@2/IncomingWebhook/~v/3
https://hooks.zapier.com/hooks/catch/12345/~v/
https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=~v
https://oapi.dingtalk.com/robot/send?access_token=~v
https://open.feishu.cn/open-apis/bot/v2/hook/~v
https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=~v
https://mattermost.example.org/hooks/~v
https://maker.ifttt.com/trigger/x/with/key/~v
https://hook.eu1.make.com/~v
https://hc-ping.com/~v
https://api.telegram.org/bot123456789:~v/sendMessage
https://events.pagerduty.com/integration/~v/enqueue
https://prod-01.westus.logic.azure.com/workflows/1/triggers/m/paths/invoke?api-version=1&sp=x&sv=1.0&sig=~v
https://rocket.example.org/hooks/1/~v
https://ntfy.example.org/x?auth=~v
https://api.pushover.net/1/messages.json?token=~v
https://webhook.site/~v
https://sentry.io/api/hooks/release/builtin/1/~v/
https://h.example.org/hook?secret=~v
""".strip("\n").split("\n")
SIGNED: Final = r"""
https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-Signature=~v
https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Expires=17&Signature=~v
https://d1.cloudfront.net/k?Expires=17&Signature=~v&Key-Pair-Id=K
https://storage.googleapis.com/b/k?X-Goog-Algorithm=a&X-Goog-Signature=~v
https://a.blob.core.windows.net/c/k?sv=2022&se=2025-01-01&sp=r&sig=~v
https://b.oss-cn.aliyuncs.com/k?OSSAccessKeyId=x&Expires=17&Signature=~v
https://h/k?expires=17&hmac=~v
https://h/reset?token=~v
https://h/verify/?sig=~v&u=1
https://h/invite?code=~v&token=~v
https://h/cb#access_token=~v&type=bearer
https://h/cb?code=~v&state=x
https://h/feed.ics?private_key=~v
https://h/x?api_key=~v
https://h/x?apikey=~v&y=1
https://h/x?key=~v
https://h/x?auth_token=~v
https://h/x?access_token=~v
https://h/x?password=~v
wss://h/s?authToken=~v
https://h/x?jwt=~v
https://h/x?sessionid=~v
https://h/x?client_secret=~v&grant_type=c
https://h/x?signature=~v
""".strip("\n").split("\n")
FILES: Final = r"""
//r.example.org/:_authToken=~v
//r.example.org/:_password=~v
_auth=~v
[pypi]~nusername = __token__~npassword = ~v
[distutils]~n[x]~nrepository: h~nusername: u~npassword: ~v
<server><id>x</id><username>u</username><password>~v</password></server>
[registries.x]~ntoken = "~v"
:rubygems_api_key: ~v
---~n:rubygems: ~v
machine r.example.org password ~v
{"auths":{"h":{"auth":"~v"}}}
{"github-oauth":{"github.com":"~v"}}
{"http-basic":{"h":{"username":"u","password":"~v"}}}
apiVersion: v1~nkind: Config~nusers:~n- name: u~n  user:~n    token: ~v
users:~n- user:~n    client-key-data: ~v
    oauth_token: ~v~n    git_protocol: https
credentials "app.terraform.io" {~n  token = "~v"~n}
[default]~naws_secret_access_key=~v
aws_session_token = ~v
[profile x]~nsecret_key = ~v
access_key = x~nsecret_key = ~v
gpg_passphrase = ~v
[Peer]~nPresharedKey = ~v
[Interface]~nPrivateKey = ~v
wpa_passphrase=~v
requirepass ~v
masterauth ~v
user u on >~v ~* +@all
rpcpassword=~v
secret_key_base: ~v
Unseal Key 1: ~v
Initial Root Token: ~v
K3S_TOKEN=~v
kubeadm join h:6443 --token ~v
docker swarm join --token ~v h:2377
ssh-pass: ~v
snmp-server community ~v RO
enable secret ~v
username u password 0 ~v
pre-shared-key ~v
radius-server key ~v
""".strip("\n").split("\n")
HASHES: Final = r"""
u:$apr1$ab12cd34$~v
u:$2y$05$~v
root:$6$saltsalt$~v:19000:0:99999:7:::
'$2b$12$~v'
u:{SHA}~v
$5$rounds=5000$salt$~v
$y$j9T$salt$~v
pbkdf2_sha256$260000$salt$~v=
$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$~v
""".strip("\n").split("\n")
