"""Places where a name and its value stand together in code, settings and shells, one a line.

`~v` is the value, `~n`, `~t`, `~r` and `~q` a line break, a tab, a carriage return and a double quote; the other marks
are those of `tests.unseen_prints`. Written without sight of the rules.
"""

from typing import Final

CODE: Final = r"""
var ~camel string = "~v"
let mut ~snake = String::from("~v");
static let ~camel = "~v"
public const string ~pascal = "~v";
val ~camel: String = "~v"
final ~camel = '~v';
#define ~upper "~v"
char ~snake[] = "~v";
std::string ~snake{"~v"};
const char *k~pascal = "~v";
$~snake = '~v';
$this->~camel = "~v";
my $~snake = '~v';
our $~upper = q(~v);
~upper = '~v'.freeze
@~snake = "~v"
local ~snake = "~v"
~snake <- "~v"
Sys.setenv(~upper = "~v")
setProperty("~dotted", "~v")
System.setProperty("app.~camel", "~v");
os.environ.setdefault("~upper", "~v")
os.Setenv("~upper", "~v")
monkeypatch.setenv("~upper", "~v")
config.set("auth", "~snake", "~v")
conf["~snake"] = "~v"
settings.~snake = '~v'
client = Client("db.example.org", ~snake="~v")
new Client({ host: 'b', ~camel: '~v' })
builder.with~pascal("~v").build()
client.~camel("~v")
set_~snake('~v')
WithOption("~kebab", "~v")
parser.add_argument("--~kebab", default="~v")
flag.String("~kebab", "~v", "the value")
@Value("${app.~kebab:~v}")
process.env.~upper ||= '~v'
process.env['~upper'] ?? '~v'
const { ~camel = '~v' } = props
ENV.fetch("~upper", "~v")
(def ~kebab "~v")
~camel = "~v" :: String
dict(host="b", ~snake="~v")
{'host': 'b', '~kebab': b'~v'}
Map.of("~camel", "~v")
map[string]string{"~snake": "~v"}
assert client.~snake == "~v"
if ~snake != '~v':
expect(config.~camel).toBe("~v")
assertEquals("~v", conf.get~pascal());
return "~v"  # ~spaced
login(user='b', ~snake=r'~v')
~snake: str = '~v'
Field("~v", alias="~snake")
secrets = {~n    "~snake":~n        "~v",~n}
~snake = (~n    '~v'~n)
~upper = ~q~q~q~v~q~q~q
byte[] ~camel = "~v".getBytes();
~camel := []byte("~v")
~snake = b'~v'
Dim ~pascal As String = "~v"
~pascal: string = '~v';
""".strip("\n").split("\n")
SETTINGS: Final = r"""
~snake: ~v
~snake: "~v"
~kebab: '~v'
~camel: ~v
~upper: ~v
  - ~snake: ~v
~snake: |~n  ~v~n
~snake: >~n    ~v~n
~snake: |-~n  ~v~nport: 80
~snake: !!str ~v
~snake: &anchor ~v
~snake=~v
~dotted=~v
~upper=~v
~upper="~v"
export ~upper=~v
export ~upper='~v'
~snake = ~v
~pascal = ~v
~flat = ~v
~snake ~v
set ~snake ~v;
~kebab   ~v
~snake~t~v
[db]~n~snake: ~v~n
~pascal: ~v
<~kebab>~v</~kebab>
<property name="~dotted" value="~v"/>
<property>~n  <name>app.~dotted</name>~n  <value>~v</value>~n</property>
<entry key="~snake">~v</entry>
<setting name="~pascal">~n  <value>~v</value>~n</setting>
<user name="b" ~camel="~v" roles="x"/>
<param><name>~snake</name><value><string>~v</string></value></param>
<~pascal><![CDATA[~v]]></~pascal>
variable "~snake" {~n  default = "~v"~n}
~snake = "~v"
provider "b" {~n  ~snake = "~v"~n}
output ~snake {~n  value = "~v"~n}
{"~snake": "~v"}
{"~camel":"~v","x":1}
{"~kebab" : "~v"}
{"~upper":"~v"}
{~n  "~pascal": "~v"~n}
{"name":"~snake","value":"~v"}
{"value":"~v","key":"~upper"}
{"Key": "~camel", "Value": "~v"}
{"~snake": {"value": "~v"}}
{"~snake": ["~v"]}
{"secrets":{"~snake":{"type":"string","default":"~v"}}}
{"~camel": {"S": "~v"}}
{"ParameterKey": "~pascal", "ParameterValue": "~v"}
- name: ~upper~n  value: "~v"
- name: ~upper~n  valueFrom: null~n  value: ~v
- key: ~snake~n  value: ~v
env:~n  ~upper: ~v
args: ["--~kebab", "~v"]
args:~n  - --~kebab=~v
args:~n  - --~kebab~n  - ~v
vars:~n  ~snake: "~v"
with:~n  ~kebab: ~v
--set ~camel=~v
credentials('b'): ~snake=~v
string(credentialsId: 'b', ~camel: '~v')
""".strip("\n").split("\n")
SHELLS: Final = r"""
$ export ~upper=~v
$ ~upper=~v ./run
$ ~upper='~v' make
$ ./run --~kebab ~v
$ ./run --~kebab=~v
$ ./run --~kebab '~v'
$ ./run --~kebab "~v" -x
$ ./run -~flat ~v
$ ./run -~flat=~v
C:\> app.exe /~flat:~v
PS> Set-Thing -~pascal '~v'
PS> $~camel = '~v'
$ env | sort~nHOME=/root~n~upper=~v~nPWD=/x
$ set | grep X~n~upper=~v
$ echo $~upper~n~v
$ cat ~kebab.txt~n~v
$ cat .~snake~n~v~n
$ cat <<EOF > .env~n~upper=~v~nEOF
$ tee ~kebab <<'EOF'~n~v~nEOF
$ echo ~v > ~kebab.txt
$ echo '~v' | app login --~kebab-stdin
$ read -s ~upper~n~v
Enter ~spaced: ~v
~title: ~v
~title for b: ~v
Please type the ~spaced:~n~v
? ~title ~v
? ~title: (hidden) ~v
$ security add-generic-password -a b -w ~v  # ~spaced
$ pass show app/~kebab~n~v
$ vault kv get -field=~snake kv/app~n~v
$ vault kv put kv/app ~snake=~v
$ aws secretsmanager get-secret-value --secret-id app/~kebab --query SecretString~n"~v"
$ kubectl get secret app -o jsonpath='{.data.~kebab}'~n~v
$ heroku config:get ~upper~n~v
$ heroku config:set ~upper=~v
$ gcloud secrets versions access latest --secret=~kebab~n~v
$ op read op://app/~kebab~n~v
$ redis-cli set ~snake ~v
$ git config app.~flat ~v
$ npm config set //r.example.org/:~snake=~v
$ curl -d '~snake=~v' https://a.example.org
$ curl -H '~header: ~v' https://a.example.org
$ curl -F ~snake=~v https://a.example.org
$ curl 'https://a.example.org/?x=1&~snake=~v'
$ http POST a.example.org ~snake=~v
$ http a.example.org ~header:~v
$ docker run -e ~upper='~v' b
$ docker build --build-arg ~upper=~v .
$ systemctl set-environment ~upper=~v
$ sed -i 's/~upper=.*/~upper=~v/' .env
$ grep -r ~snake .~n./conf/app.yml:3:~snake: ~v
./a/b.env:12:~upper=~v
conf.py-14-~snake = '~v'
$ ansible-vault view x~n~snake: ~v
$ strings core | grep ~camel~n~camel=~v
$ ps aux | grep app~nroot 12 0.0 app --~kebab ~v --port 80
$ gdb -p 1~n(gdb) print ~snake~n$1 = "~v"
>>> ~snake~n'~v'
In [2]: cfg.~snake~nOut[2]: '~v'
> config.~camel~n'~v'
scala> conf.~camel~nres0: String = ~v
+ ~snake=~v
++ ~upper=~v
+ ./run --~kebab ~v
ARG ~upper=~v
ENV ~upper=~v HOME=/x
ENV ~upper ~v
""".strip("\n").split("\n")
