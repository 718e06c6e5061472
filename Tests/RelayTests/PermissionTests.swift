import BrokerTesting
import Foundation
import Testing
import Timekeeping

import struct GroupActivities.AdmissionKey

@testable import NATSProtocol
@testable import Relay

/// The subjects that a member may subscribe to.
@Suite("Subject permissions")
struct PermissionTests {
  private let greeting = Greeting(key: AdmissionKey())
  private let party: PartySpace

  init() {
    let (rate, now) = (RelayConfiguration.Limits().promptWork, HostTime(nanoseconds: 0))
    party = PartySpace(admissionPublicKey: greeting.key.publicKey, work: TokenBucket(rate, at: now))
  }

  /// `P` is replaced by the party's prefix.
  static let allowed = [
    "P.all", "P.to.abc", "P.ask", "P.x.y.z", "P.*", "P.x.*", "P.x.>", "P.a*", "P.to", "P.tom.>",
    "_INBOX.abc", "_INBOX.abc.1", "_INBOX.abc.*", "_INBOX.abc.>", "_INBOX.a*b.x",
  ]
  /// Wildcards that match subjects of other members.
  static let refused = [
    "_INBOX.*", "_INBOX.>", "_INBOX.*.1", "_INBOX.*.>", "_INBOX.*.*", "P.>", "P.*.abc", "P.*.*",
    "P.*.>", "P.to.*", "P.to.>", "P.to.abc.>", "P.to.*.x",
  ]
  /// Subjects outside the party.
  static let outside = [
    "P", "P.", "_INBOX", "_INBOX.", "*.*.all", "matinee.*.all", "matinee.>", ">",
  ]

  @Test(
    "A member may subscribe to subjects for all, to its own, and to its inbox", arguments: allowed)
  func allows(text: String) {
    #expect(party.allowsSubscribing(to: subject(text)))
  }

  @Test(
    "A wildcard that matches subjects of other members is refused", arguments: refused + outside)
  func refuses(text: String) {
    #expect(!party.allowsSubscribing(to: subject(text)))
  }

  @Test("No allowed wildcard matches a personal subject or another member's inbox")
  func covering() {
    let tokens = ["*", ">", "to", "all", "x"]
    let personal = [
      subject("P.to.x"), subject("P.to.x.y"), subject("_INBOX.x"), subject("_INBOX.x.y"),
    ]
    for base in ["P", "_INBOX"] {
      for first in tokens {
        for second in tokens + [nil] {
          for third in tokens + [nil] where second != nil || third == nil {
            let text = [base, first, second, third].compactMap { $0 }.joined(separator: ".")
            let pattern = subject(text)
            guard pattern.isValidPattern, party.allowsSubscribing(to: pattern) else { continue }
            var index = SubjectIndex()
            index.insert(SubscriptionID(number: 1, index: 0), at: pattern, group: nil)
            for target in personal where target != pattern && pattern.hasWildcard {
              let isOwnInbox = text.hasPrefix("_INBOX.x")
              #expect(index.match(target).isEmpty || isOwnInbox, "\(text) takes in \(target)")
            }
          }
        }
      }
    }
  }

  @Test(
    "The permissions apply to queue groups and attachments too, with the error text that clients look for"
  )
  func wording() throws {
    var harness = BrokerHarness(.only([greeting.key.publicKey]))
    let member = try harness.member(greeting)
    let prefix = greeting.prefix
    harness.say("SUB _INBOX.> 1\r\nSUB \(prefix).to.* q 2\r\nSUB \(prefix).ask q 3\r\n", member)
    #expect(
      harness.heard(member) == """
        -ERR 'Permissions Violation for Subscription to "_INBOX.>"'\r
        -ERR 'Permissions Violation for Subscription to "\(prefix).to.*"'\r

        """)
    #expect(harness.broker.statistics.subscriptions == 1)
    let attached = harness.attach(greeting)
    let refusal = harness.broker.subscribe(
      try #require(attached), to: subject("P.>"), sid: [1])
    #expect(refusal == "Permissions Violation for Subscription to \"\(prefix).>\"")
  }

  private func subject(_ text: String) -> Subject {
    Subject(
      text.hasPrefix("P") ? greeting.prefix + text.dropFirst() : text)
  }
}
