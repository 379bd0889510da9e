from email import message_from_string
from email.message import EmailMessage
from email.utils import formataddr, parseaddr

raw = """From: "Ada L." <ada@example.org>
To: bob@example.org
Subject: =?utf-8?q?Caf=C3=A9?=
Content-Type: text/plain; charset=utf-8

Hello
there
"""
from email.header import decode_header, make_header

message = message_from_string(raw)
made = EmailMessage()
made["To"] = "x@example.org"
made["Subject"] = "Plain"
made.set_content("body")
return {"from": parseaddr(message["From"]), "subject": str(make_header(decode_header(message["Subject"]))), "body": message.get_payload(), "type": message.get_content_type(), "made": made.as_string(), "addr": formataddr(("B", "b@x.org"))}
