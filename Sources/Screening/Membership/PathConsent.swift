/// The user's decision about direct paths, on which participants compare their clocks past the relay. The others learn this
/// machine's addresses, so the user decides, once per party.
package struct PathConsent: Hashable, Sendable {
  /// The setting for all parties, as `--path` spells it.
  package enum Setting: String, Hashable, Sendable, CaseIterable {
    /// Allows no direct path.
    case relay
    /// Allows them without a question.
    case direct
    /// Asks in each party.
    case ask
  }

  private var setting: Setting
  /// The decision in this party; nil before one.
  private var decision: Bool?
  private var wasAsked = false

  package init(_ setting: Setting = .ask) { self.setting = setting }

  /// A Boolean value that indicates whether direct paths are allowed.
  package var isAllowed: Bool { decision ?? (setting == .direct) }

  /// The user decided, for this party, or outside a party for the next ones.
  package mutating func decided(_ isAllowed: Bool, isInParty: Bool) {
    if isInParty { decision = isAllowed } else { setting = isAllowed ? .direct : .relay }
  }

  /// Another participant is here.
  ///
  /// - Returns: whether to ask the user now.
  package mutating func otherPresent() -> Bool {
    guard setting == .ask, decision == nil, !wasAsked else { return false }
    wasAsked = true
    return true
  }

  /// The next party is another question.
  package mutating func left() { self = PathConsent(setting) }
}
