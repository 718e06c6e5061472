/// Finds the subscriptions that a subject matches: a tree of tokens, in which `*` stands for one token
/// and `>` at the end for one or more.
struct SubjectIndex<Value: Hashable & Sendable>: Sendable {
  private struct Node: Sendable {
    var children: [Substring: Int] = [:]
    var values: Set<Value> = []
    /// Those whose subscription ends here with `>`.
    var tails: Set<Value> = []
  }

  private var nodes = [Node()]
  private var free: [Int] = []

  private(set) var count = 0

  mutating func insert(_ value: Value, subject: String) {
    var node = 0
    for token in subject.split(separator: ".") {
      if token == ">" {
        if nodes[node].tails.insert(value).inserted { count += 1 }
        return
      }
      if let next = nodes[node].children[token] {
        node = next
      } else {
        let next = free.popLast() ?? nodes.count
        if next == nodes.count { nodes.append(Node()) } else { nodes[next] = Node() }
        nodes[node].children[token] = next
        node = next
      }
    }
    if nodes[node].values.insert(value).inserted { count += 1 }
  }

  mutating func remove(_ value: Value, subject: String) {
    var path: [(node: Int, token: Substring)] = []
    var node = 0
    for token in subject.split(separator: ".") {
      if token == ">" {
        if nodes[node].tails.remove(value) != nil { count -= 1 }
        prune(path, from: node)
        return
      }
      guard let next = nodes[node].children[token] else { return }
      path.append((node, token))
      node = next
    }
    if nodes[node].values.remove(value) != nil { count -= 1 }
    prune(path, from: node)
  }

  func matches(_ subject: String) -> Set<Value> {
    var found: Set<Value> = []
    collect(subject.split(separator: ".")[...], from: 0, into: &found)
    return found
  }

  private func collect(
    _ tokens: ArraySlice<Substring>, from node: Int, into found: inout Set<Value>
  ) {
    guard let token = tokens.first else {
      found.formUnion(nodes[node].values)
      return
    }
    found.formUnion(nodes[node].tails)
    if let next = nodes[node].children[token] {
      collect(tokens.dropFirst(), from: next, into: &found)
    }
    if let next = nodes[node].children["*"] {
      collect(tokens.dropFirst(), from: next, into: &found)
    }
  }

  private mutating func prune(_ path: [(node: Int, token: Substring)], from last: Int) {
    var node = last
    for step in path.reversed() {
      guard nodes[node].children.isEmpty, nodes[node].values.isEmpty, nodes[node].tails.isEmpty
      else { return }
      nodes[step.node].children[step.token] = nil
      free.append(node)
      node = step.node
    }
  }
}

/// What is a subject, and what one may do with it.
enum Subject {
  /// Tokens without white space, none of them empty. `*` and `>` stand alone, `>` only at the end.
  static func isValid(_ subject: String) -> Bool {
    let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
    return tokens.indices.allSatisfy { index in
      let token = tokens[index]
      return !token.isEmpty && (token != ">" || index == tokens.count - 1)
    }
  }

  /// Valid, and without wildcards.
  static func isLiteral(_ subject: String) -> Bool {
    isValid(subject) && !subject.split(separator: ".").contains { $0 == "*" || $0 == ">" }
  }

  /// Whether all that `subject` can match lies under `prefix`, or is a private inbox.
  static func isWithin(_ subject: String, prefix: String) -> Bool {
    subject.hasPrefix(prefix + ".") || subject.hasPrefix("_INBOX.")
  }
}
