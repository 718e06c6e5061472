import NATSProtocol

/// The subscriptions that a subject reaches: a trie of tokens, with wildcards as children of their
/// own.
///
/// Results are cached until a subscription is added or removed, which is rare compared with
/// messages.
struct SubjectIndex: Sendable {
  /// The receivers of a message: all of `plain`, and one member of each group. A group's name joins
  /// its members, whichever pattern each of them subscribed to.
  struct Match: Hashable, Sendable {
    var plain: [SubscriptionID] = []
    var groups: [[UInt8]: [SubscriptionID]] = [:]

    var isEmpty: Bool { plain.isEmpty && groups.isEmpty }

    /// The approximate size in bytes.
    fileprivate var cost: Int {
      16 * plain.count + groups.reduce(0) { $0 + $1.key.count + 64 + 16 * $1.value.count }
    }
  }

  private struct Node: Sendable {
    var children: [Subject.Token: Node] = [:]
    var plain: [SubscriptionID] = []
    var groups: [[UInt8]: [SubscriptionID]] = [:]

    var isEmpty: Bool { children.isEmpty && plain.isEmpty && groups.isEmpty }
  }

  private var root = Node()
  private var remembered: [Subject: Match] = [:]
  /// The approximate size of the cached results, in bytes.
  private(set) var rememberedBytes = 0

  /// The size in bytes above which all cached results are discarded at once: a client that
  /// publishes to ever new subjects gains nothing from the cache, and may not fill it.
  private var rememberedLimit: Int { 4096 + 256 * count }

  private(set) var count = 0

  /// - Parameter pattern: valid, see ``Subject/isValidPattern``.
  mutating func insert(_ id: SubscriptionID, at pattern: Subject, group: [UInt8]?) {
    precondition(pattern.isValidPattern, "\(pattern) can't be subscribed to")
    forgetMatches()
    count += 1
    Self.change(&root, pattern.tokens[...]) { node in
      if let group { node.groups[group, default: []].append(id) } else { node.plain.append(id) }
    }
  }

  mutating func remove(_ id: SubscriptionID, at pattern: Subject, group: [UInt8]?) {
    forgetMatches()
    count -= 1
    Self.change(&root, pattern.tokens[...]) { node in
      if let group {
        node.groups[group]?.removeAll { $0 == id }
        if node.groups[group]?.isEmpty == true { node.groups[group] = nil }
      } else {
        node.plain.removeAll { $0 == id }
      }
    }
  }

  mutating func match(_ subject: Subject) -> Match {
    if let match = remembered[subject] { return match }
    var match = Match()
    if subject.hasTokens { Self.collect(root, subject.tokens[...], into: &match) }
    let cost = subject.bytes.count + 128 + match.cost
    if rememberedBytes + cost > rememberedLimit { forgetMatches() }
    if cost <= rememberedLimit {
      remembered[subject] = match
      rememberedBytes += cost
    }
    return match
  }

  private mutating func forgetMatches() {
    guard !remembered.isEmpty else { return }
    remembered = [:]
    rememberedBytes = 0
  }

  /// Applies `body` at the end of the path. The path is made on the way down, and pruned on the way
  /// up.
  private static func change(
    _ node: inout Node, _ path: ArraySlice<Subject.Token>, _ body: (inout Node) -> Void
  ) {
    guard let token = path.first else { return body(&node) }
    change(&node.children[token, default: Node()], path.dropFirst(), body)
    if node.children[token]?.isEmpty == true { node.children[token] = nil }
  }

  /// Visits each node at most once, so the work is bounded by the number of subscriptions.
  private static func collect(
    _ node: Node, _ path: ArraySlice<Subject.Token>, into match: inout Match
  ) {
    guard let token = path.first else {
      add(node, to: &match)
      return
    }
    if let tail = node.children[Subject.anyTail] { add(tail, to: &match) }
    if let any = node.children[Subject.anyToken] { collect(any, path.dropFirst(), into: &match) }
    // A published token may be a wildcard character; the code above has followed it.
    if token != Subject.anyToken, token != Subject.anyTail, let child = node.children[token] {
      collect(child, path.dropFirst(), into: &match)
    }
  }

  private static func add(_ node: Node, to match: inout Match) {
    match.plain += node.plain
    match.groups.merge(node.groups) { $0 + $1 }
  }
}
