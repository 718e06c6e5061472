import BrokerTesting
import Foundation

extension DifferentialTests {
  /// The scripts. In the subjects, `P.` is replaced by the party's prefix.
  static let scripts: [Script] =
    operations + routing + subjects + malformed + sizes + permissions + connecting + pieces

  private static let operations: [Script] = [
    Script("PING\r\n"), Script("ping\r\n"), Script("PiNg  \r\n"), Script("PING x\r\nPINGS\r\n"),
    Script("PONG\r\nPING\r\n"), Script("+OK\r\nPING\r\n"), Script("+OKAY\r\nPING\r\n"),
    Script("-ERR 'x'\r\nPING\r\n"), Script("INFO {}\r\nPING\r\n"), Script("PING\n"),
    Script("SUB P.a 1\nPING\n"), Script("sub\tP.a\t1\r\npub P.a 2\r\nhi\r\nPING\r\n"),
    Script("SUB  P.a   1  \r\nPUB   P.a  2 \r\nhi\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 1\r\nx\r\nUNSUB 1\r\nPING\r\nPONG\r\n", options: Script.verbose),
    Script("SUB P.a 1\r\nSUB P.a 1\r\nUNSUB 9\r\nPING\r\n", options: Script.verbose),
    Script("SUB q.a 1\r\nPUB q.a 0\r\n\r\nSUB P..a 2\r\nPING\r\n", options: Script.verbose),
  ]

  private static let routing: [Script] = [
    Script("SUB P.a 1\r\nPUB P.a 2\r\nhi\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a r 2\r\nhi\r\nPING\r\n"),
    Script("SUB P.a q 1\r\nPUB P.a 2\r\nhi\r\nPING\r\n"),
    Script("SUB P.* 1\r\nPUB P.a 0\r\n\r\nPUB P.a.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.x.> 1\r\nPUB P.x.a 0\r\n\r\nPUB P.x.a.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.x.*.c 1\r\nPUB P.x.a.b 0\r\n\r\nPUB P.x.a.c 0\r\n\r\nPING\r\n"),
    Script("SUB P.a abc-9\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nSUB P.b 1\r\nPUB P.a 0\r\n\r\nPUB P.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nUNSUB 1 2\r\n" + String(repeating: "PUB P.a 0\r\n\r\n", count: 3)),
    Script("SUB P.a 1\r\nPUB P.a 0\r\n\r\nPUB P.a 0\r\n\r\nUNSUB 1 1\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 0\r\n\r\nPUB P.a 0\r\n\r\nUNSUB 1 2\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script(
      "SUB P.a 1\r\nUNSUB 1 1\r\nUNSUB 1 3\r\n" + String(repeating: "PUB P.a 0\r\n\r\n", count: 4)),
    Script("SUB P.a 1\r\nUNSUB 1 -2\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nUNSUB 1 0\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nUNSUB 1 x\r\nPUB P.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nUNSUB 1\r\nSUB P.b 1\r\nPUB P.a 0\r\n\r\nPUB P.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 0\r\n\r\nPING\r\n", options: Script.silent),
    Script("SUB P.r 1\r\nPUB P.nobody P.r 0\r\n\r\nPING\r\n"),
    Script("SUB P.r 1\r\nPUB P.nobody P.r 0\r\n\r\nPING\r\n", options: Script.simple),
    Script("SUB P.r q 1\r\nPUB P.nobody P.r 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nSUB P.r 2\r\nPUB P.a P.r 0\r\n\r\nPING\r\n", options: Script.silent),
    Script(
      "SUB P.r 1\r\nUNSUB 1 1\r\nPUB P.no P.r 0\r\n\r\nPUB P.no P.r 0\r\n\r\nPUB P.r 0\r\n\r\n"),
    Script("SUB _INBOX.x.* 1\r\nPUB P.no _INBOX.x.1 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nHPUB P.a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"),
    Script("SUB P.a 1\r\nHPUB P.a P.r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n"),
    Script("SUB P.a 1\r\nHPUB P.a 2 4\r\nXXhi\r\nPING\r\n"),
    Script("SUB P.a 1\r\nHPUB P.a 12 12\r\nNATS/1.0\r\n\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nHPUB P.a 12 12\r\nNATS/1.0\r\n\r\n\r\nPING\r\n", options: Script.simple),
  ]

  private static let subjects: [Script] = [
    Script("SUB P..b 1\r\nPING\r\n"), Script("SUB P. 1\r\nPING\r\n"),
    Script("SUB P.a. 1\r\nPING\r\n"), Script("SUB P.a.>.b 1\r\nPING\r\n"),
    Script("SUB P.a*b 1\r\nPUB P.a*b 0\r\n\r\nPING\r\n"),
    Script("SUB P.x.> 1\r\nPUB P.x.a.> 0\r\n\r\nPUB P.x.* 0\r\n\r\nPUB P.x.>.a 0\r\n\r\nPING\r\n"),
    Script("SUB P.* 1\r\nPUB P.* 0\r\n\r\nPING\r\n"),
    Script("SUB P.a.> 1\r\nPUB P.a.> 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("SUB P.x.> 1\r\nPUB P.x.*.a 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("PUB P..a 0\r\n\r\nPUB P.a 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("PUB P.a r.* 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("SUB P.a 1\r\nPUB P.a x..y 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("SUB P.a*b 1\r\nSUB P.a q..x 2\r\nPING\r\n", options: Script.pedantic),
    Script("SUB P.ä 1\r\nPUB P.ä 0\r\n\r\nPING\r\n"),
  ]

  private static let malformed: [Script] = [
    Script("FOO\r\n"), Script("SUB\r\n"), Script("SUB \r\n"), Script("SUB P.a\r\nPING\r\n"),
    Script("SUB P.a b c d\r\nPING\r\n"), Script("UNSUB\r\n"), Script("UNSUB 1 2 3\r\n"),
    Script("PUB\r\n"), Script("PUB \r\n"), Script("PUB P.a\r\n"), Script("PUB P.a b c 1\r\n"),
    Script("PUB P.a -1\r\n"), Script("PUB P.a x\r\n"), Script("PUB P.a 0x1\r\n"),
    Script("PUB P.a 99999999999\r\n"), Script("PUB P.a 999999999999999999999999\r\n"),
    Script("PUB P.a 2\r\nhixxPING\r\n"), Script("PUB P.a 2\r\nhi\rxPING\r\n"),
    Script("PUB P.a 2\r\nhi\nPING\r\n"), Script("PUB P.a 00002\r\nhi\r\nPING\r\n"),
    Script("HPUB P.a 14 12\r\nNATS/1.0\r\n\r\nhi\r\n"), Script("HPUB P.a 12\r\nPING\r\n"),
    Script("HPUB P.a x 12\r\nPING\r\n"), Script("HPUB P.a 1 2 3 4 5\r\nPING\r\n"),
    Script("\r\nPING\r\n"), Script(" PING\r\n"), Script("MSG P.a 1 0\r\n\r\n"),
    Script("A+ a\r\n"), Script("RS+ a\r\n"), Script("LS+ a\r\n"), Script("PUBX P.a 0\r\n"),
    Script("GET / HTTP/1.1\r\n\r\n"), Script("-ERR\r\nPING\r\n"), Script("INFO {\r\nPING\r\n"),
    Script("INFO\r\nPING\r\n"), Script("\u{1}\u{2}"), Script("PING\r\nPING\r\nFOO\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 2\r\nhi\r\nPUB P.a 2\r\nhixx"),
  ]

  private static let sizes: [Script] = [
    Script("PUB P.a 65536\r\n" + String(repeating: "x", count: 65536) + "\r\nPING\r\n"),
    Script(
      "SUB P.a 1\r\nPUB P.a 65536\r\n" + String(repeating: "x", count: 65536) + "\r\nPING\r\n"),
    Script("PUB P.a 65537\r\n"), Script("HPUB P.a 10 65537\r\n"),
    Script("PUB q.a 65537\r\n"),
    Script(
      (1...10).map { "SUB P.a\($0) \($0)\r\n" }.joined() + "UNSUB 1\r\nSUB P.z 11\r\nPING\r\n"),
    Script(named: "arguments of exactly the limit") { nonce, greeting in
      [try greeting.line(nonce: nonce) + "SUB " + String(repeating: "a", count: 4094) + " 1\r\n"]
    },
    Script(named: "arguments of one byte more") { nonce, greeting in
      [try greeting.line(nonce: nonce) + "SUB " + String(repeating: "a", count: 4095) + " 1\r\n"]
    },
    Script(named: "arguments without end") { nonce, greeting in
      [try greeting.line(nonce: nonce)]
        + Array(repeating: String(repeating: "PUB a", count: 999), count: 3)
    },
    Script(named: "a CONNECT that is too long") { _, _ in
      ["CONNECT {\"x\":\"" + String(repeating: "a", count: 5000) + "\"}\r\nPING\r\n"]
    },
  ]

  private static let permissions: [Script] = [
    Script("SUB x 1\r\nPING\r\n"), Script("SUB > 1\r\nPING\r\n"), Script("SUB * 1\r\nPING\r\n"),
    Script("SUB matinee 1\r\nSUB matinee.> 2\r\nSUB matinee.*.a 3\r\nSUB *.*.a 4\r\nPING\r\n"),
    Script("SUB x q 1\r\nPING\r\n"), Script("SUB _INBOX 1\r\nSUB _INBOX.a.> 2\r\nPING\r\n"),
    Script("SUB _INBOXES.a 1\r\nSUB _INBOX.a.* 2\r\nSUB _inbox.a 3\r\nPING\r\n"),
    Script("SUB x..y 1\r\nPING\r\n"), Script("PUB x 0\r\n\r\nPING\r\n"),
    Script("PUB P 0\r\n\r\nPUB P. 0\r\n\r\nPING\r\n"), Script("PUB P..a 0\r\n\r\nPING\r\n"),
    Script("SUB P.r 1\r\nPUB x P.r 0\r\n\r\nPING\r\n"), Script("PUB P.a x.y 0\r\n\r\nPING\r\n"),
    Script("PUB x\"y\\z 0\r\n\r\nSUB x\"y\\z 1\r\nPING\r\n"),
    Script("PUB a\u{1}b\u{7f}\u{1b}[31m 0\r\n\r\nPING\r\n"),
    Script("PUB ä 0\r\n\r\nPUB \u{202e}x 0\r\n\r\nPUB \u{1f600} 0\r\n\r\nPUB \u{e0001} 0\r\n\r\n"),
    Script("PUB x 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("PUB x.* 0\r\n\r\nPING\r\n", options: Script.pedantic),
    Script("SUB $SYS.> 1\r\nSUB $JS.> 2\r\nPUB $JS.API.INFO 0\r\n\r\nPING\r\n"),
  ]

  private static func connect(
    _ name: String,
    _ text: @escaping @Sendable (_ nonce: String, _ greeting: Greeting) throws -> String
  ) -> Script {
    Script(named: name) { nonce, greeting in
      [Script.expand(try text(nonce, greeting) + "PING\r\n", greeting)]
    }
  }

  private static let connecting: [Script] =
    [
      connect("nothing") { _, _ in "" }, connect("PUB first") { _, _ in "PUB a 0\r\n\r\n" },
      connect("SUB first") { _, _ in "SUB a 1\r\n" }, connect("noise first") { _, _ in "\u{0}" },
      connect("+OK first") { _, _ in "+OK\r\n" }, connect("C and noise") { _, _ in "CX" },
      connect("no key") { _, _ in "CONNECT {}\r\n" },
      connect("null") { _, _ in "CONNECT null\r\n" },
      connect("no JSON") { _, _ in "CONNECT {\r\n" },
      connect("an array") { _, _ in "CONNECT []\r\n" },
      connect("no arguments") { _, _ in "CONNECT\r\n" },
      connect("a number for verbose") { _, _ in "CONNECT {\"verbose\":1}\r\n" },
      connect("text for verbose") { _, _ in "CONNECT {\"verbose\":\"yes\"}\r\n" },
      connect("a number for user") { _, _ in "CONNECT {\"user\":5}\r\n" },
      connect("junk behind") { _, _ in "CONNECT {} x\r\n" },
      connect("a user and password") { _, _ in "CONNECT {\"user\":\"a\",\"pass\":\"b\"}\r\n" },
      connect("a key without signature") { _, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey)\"}\r\n"
      },
      connect("an empty signature") { _, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"\"}\r\n"
      },
      connect("no base64") { _, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"!!!\"}\r\n"
      },
      connect("a damaged key") { nonce, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey.dropLast())\",\"sig\":\"\(try greeting.signature(of: nonce))\"}\r\n"
      },
      connect("another nonce's signature") { nonce, greeting in
        try greeting.line(nonce: nonce + "x")
      },
      connect("another key") { nonce, _ in try Greeting(key: .init()).line(nonce: nonce) },
      connect("another key's signature") { nonce, greeting in
        let other = try Greeting(key: .init()).signature(of: nonce)
        return "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"\(other)\"}\r\n"
      },
      connect("the standard alphabet") { nonce, greeting in
        let signature = try greeting.signatureData(of: nonce).base64EncodedString()
        return "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"\(signature)\"}\r\n"
      },
      connect("names in capitals, null, and unknown ones") { nonce, greeting in
        "CONNECT {\"NKEY\":\"\(greeting.nkey)\",\"Sig\":\"\(try greeting.signature(of: nonce))\","
          + "\"VERBOSE\":true,\"pedantic\":null,\"x\":{\"y\":[1]}}\r\n"
      },
      connect("everything by default") { nonce, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"\(try greeting.signature(of: nonce))\"}\r\n"
          + "SUB P.a 1\r\nPUB P.a.* 0\r\n\r\nPUB P.a 0\r\n\r\n"
      },
      connect("without a blank") { nonce, greeting in
        "CONNECT" + (try greeting.line(nonce: nonce)).dropFirst("CONNECT ".count)
      },
      connect("twice") { nonce, greeting in
        try greeting.line(nonce: nonce) + greeting.line(nonce: nonce)
      },
      connect("twice, then verbose without a key") { nonce, greeting in
        try greeting.line(nonce: nonce) + "CONNECT {\"verbose\":true}\r\n"
      },
      connect("twice, wrong") { nonce, greeting in
        try greeting.line(nonce: nonce) + "PING\r\n" + greeting.line(nonce: "x")
      },
      connect("twice, broken") { nonce, greeting in
        try greeting.line(nonce: nonce) + "PING\r\nCONNECT {\r\n"
      },
    ]
    + [
      "\"protocol\":0", "\"protocol\":1", "\"protocol\":2", "\"protocol\":-1",
      "\"no_responders\":true", "\"headers\":false,\"no_responders\":true", "\"headers\":true",
      "\"protocol\":9,\"no_responders\":true", "\"tls_required\":true", "\"name\":\"\\u0000\\n\"",
    ].map { Script("PING\r\n", options: "\"verbose\":false,\"pedantic\":false,\($0)") }
    + ["\"protocol\":2", "\"no_responders\":true"].map { options in
      connect("refused before \(options) is looked at") { _, greeting in
        "CONNECT {\"nkey\":\"\(greeting.nkey)\",\"sig\":\"AAAA\",\(options)}\r\n"
      }
    }

  /// Split at critical points; the kernel may join some pieces again.
  private static let pieces: [Script] = [
    "SUB P.a 1\r\nPUB P.a 5\r\nhello\r\nHPUB P.a 12 14\r\nNATS/1.0\r\n\r\nhi\r\nUNSUB 1\r\nPING\r\n",
    "SUB P.* 1\r\nPUB P.a P.r 3\r\n\r\n\r\r\nPING\r\nPUB P.a 2\r\nhixx",
  ].flatMap { text in
    [1, 2, 3, 7, 16].map { size in
      Script(named: "\(text) in pieces of \(size)") { nonce, greeting in
        let all = Array(try greeting.line(nonce: nonce) + Script.expand(text, greeting))
        return stride(from: 0, to: all.count, by: size).map { start in
          String(all[start..<min(start + size, all.count)])
        }
      }
    }
  }
}
