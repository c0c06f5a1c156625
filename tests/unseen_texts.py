"""Places where a name and its value stand together in logs, tables and prose, one a line.

`~v` is the value, `~n`, `~t`, `~r` and `~q` a line break, a tab, a carriage return and a double quote; the other marks
are those of `tests.unseen_prints`. Written without sight of the rules.
"""

from typing import Final

LOGS: Final = r"""
2024-05-01 10:11:12,123 DEBUG app.client ~snake=~v
INFO: ~spaced=~v
[debug] ~camel: ~v
DEBUG ~snake => ~v
D/App( 123): ~camel = ~v
level=debug ~snake="~v" t=1
using ~spaced ~v
Using ~spaced: ~v
loaded ~spaced '~v' from disk
got ~snake "~v"
Received ~spaced = ~v
invalid ~spaced: ~v
Invalid ~snake (~v)
error: ~spaced ~v has expired
~spaced ~v not accepted
Generated ~spaced: ~v
New ~spaced generated: ~v
A temporary ~spaced is generated for root@localhost: ~v
Your ~spaced is ~v
~title is: ~v
Created with ~spaced ~v (expires in 1h)
ValueError: bad ~snake '~v'
KeyError: ('~snake', '~v')
    ~snake = '~v'
        ~snake = "~v"~n        host = 'b'
│ ~snake = '~v' │
│   ~snake = '~v'                    │
  ~snake: '~v'~n  File "a.py", line 3
Local variables: {'~snake': '~v', 'n': 3}
locals: ~snake='~v', n=3
self = <Client ~snake='~v'>
Client(~camel=~v, host=b)
<Config ~snake=~v>
Config{~camel='~v'}
{~camel=~v, host=b}
[~camel=~v]
(~snake: ~v)
~snake -> ~v
~snake => ~v
~snake|~v|b
{"msg":"start","config":{"~camel":"~v"}}
{"log":"~snake=~v\n","stream":"stdout"}
{"log":"{\"~camel\":\"~v\"}\n"}
"{\"a\":\"{\\\"~snake\\\":\\\"~v\\\"}\"}"
{\\\"~snake\\\":\\\"~v\\\"}
params: {"~snake"=>"~v", "id"=>"3"}
Parameters: {"user"=>{"~snake"=>"~v"}}
10.0.0.1 - - [x] "GET /cb?~snake=~v HTTP/1.1" 200 3
POST /login ~snake=~v&x=1
%7B%22~camel%22%3A%22~v%22%7D
a=1&~camel=~v&b=2
a%3D1%26~snake%3D~v%26b%3D2
-~upper=old~n+~upper=~v
+    ~camel: '~v',
-  ~snake: ~v
> ~snake: ~v
< ~header: ~v
> ~header: ~v~r
  ~header: ~v~n  Accept: */*
header ~header ~v
('~header', '~v')
{'~header': '~v'}
[(b'~kebab', b'~v')]
{"name": "~header", "value": "~v"}
'~kebab': [ '~v' ]
send: b'GET / HTTP/1.1\r\n~header: ~v\r\n\r\n'
headers={'~header': '~v'}
Content-Disposition: form-data; name="~snake"~r~n~r~n~v~r~n--b
Content-Disposition: form-data; name="~snake"~n~n~v~n--b--
""".strip("\n").split("\n")
TABLES: Final = r"""
| ~title | ~v |
| ~snake | `~v` | yes |
|~upper|~v|
~snake | ~v
~title | ~v | 3
~snake,~v
"~snake","~v"
~snake;~v
~snake~t~v~tx
id,~snake~n1,~v~n
host;~snake~nb;~v~n
name~t~snake~nb~t~v~n
│ ~snake │ ~v │
║ ~title ║ ~v ║
┃ ~snake ┃ ~v ┃
~title ........ ~v
~title      ~v
~pascal    : ~v
* ~title - ~v
- **~title**: ~v
- **~title:** `~v`
- `~upper`: `~v`
- ~title: `~v`
### ~title~n~n`~v`
### ~title~n~n```~n~v~n```
**~title**~n~v
1. ~title = ~v
> **~spaced**: ~v
<td>~title</td><td><code>~v</code></td>
<li><b>~title:</b> ~v</li>
<p>~title: <code>~v</code></p>
<label>~title</label><input value="~v">
<input name="~snake" type="text" value='~v'/>
<input value="~v" name="~camel">
<meta name="~kebab" content="~v">
<div data-~kebab="~v">
<option name=~snake>~v</option>
INSERT INTO t (id, ~snake, x) VALUES (1, '~v', 2);
INSERT INTO t VALUES ('~snake', '~v');
UPDATE t SET ~snake='~v' WHERE id=1;
SELECT * FROM t WHERE ~snake = '~v';
SET @~snake = '~v';
ALTER SYSTEM SET ~snake = '~v';
CREATE SECRET s (TYPE s3, ~upper '~v');
OPTIONS (~snake '~v', host 'b')
~snake: ~v~n host: b~n1 row
mutation { login(~camel: "~v") { id } }
query($~camel: String = "~v") { a }
{"variables":{"~camel":"~v"}}
~snake: "~v"~nport: 3
auth { ~snake: "~v" }
~snake {~n  value: "~v"~n}
~pascal{Value: "~v"}
&{~pascal:~v}
~pascal:(string)("~v")
std::optional<std::string> ~snake = "~v"
["~snake","~v"]
[("~snake", "~v")]
{"~snake", "~v"}
{~snake, "~v"}
~snake(~v)
~snake[~v]
~snake{~v}
@~snake("~v")
[~pascal("~v")]
#[~snake = "~v"]
""".strip("\n").split("\n")
PROSE: Final = r"""
the ~spaced is ~v
The ~spaced is `~v`.
my ~spaced is "~v", ok?
here's the ~spaced: ~v
Here is your ~spaced: ~v
use ~v as the ~spaced
Use `~v` as ~spaced please
use ~spaced ~v
with ~spaced ~v it works
I set the ~spaced to ~v
set ~snake to '~v'
Set `~snake` to `~v`.
~spaced should be ~v
The ~spaced (~v) works
the ~spaced, ~v, works
~v is the ~spaced
~v is my ~spaced
`~v` is our ~spaced now
(~spaced: ~v)
[~spaced: ~v]
~spaced=~v thanks
~spaced - ~v
~spaced – ~v
~spaced — ~v
~spaced → ~v
~spaced ~v
log in as admin with ~spaced ~v
user admin, ~spaced ~v
user: admin / ~spaced: ~v
admin / ~v (~spaced)
I changed the ~spaced from ~v to something else
the old ~spaced was ~v
we rotated ~spaced, new value ~v
please add ~v to ~upper
put ~v in ~snake
paste this into ~upper: ~v
~v <- ~spaced
FYI ~spaced = ~v.
that's the ~spaced:~n~v~nthanks
~title~n~v~n
~title:~n~n    ~v~n
Copy your ~spaced now:~n~n  ~v~n~nYou won't see it again
```~n~upper=~v~n```
so ~spaced would be "~v"?
no, it's ~v (the ~spaced)
try ~v for the ~spaced
value of ~snake: ~v
~snake has value ~v
The value for ~upper is ~v
""".strip("\n").split("\n")
