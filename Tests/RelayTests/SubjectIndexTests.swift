import Testing

@testable import NATSProtocol
@testable import Relay

@Suite("The subject index")
struct SubjectIndexTests {
  private func index(_ patterns: [String]) -> SubjectIndex {
    var index = SubjectIndex()
    for (number, pattern) in patterns.enumerated() {
      index.insert(SubscriptionID(number: number, index: 0), at: Subject(pattern), group: nil)
    }
    return index
  }

  private func matches(_ index: inout SubjectIndex, _ subject: String) -> Set<Int> {
    let match = index.match(Subject(subject))
    let numbers = match.plain.map(\.number)
    #expect(Set(numbers).count == numbers.count, "nobody twice")
    return Set(numbers)
  }

  @Test("The wildcard * matches one token, and > matches one or more")
  func wildcards() {
    var index = index(["a", "a.b", "a.*", "a.>", "*", ">", "*.b", "a.*.c", "*.*", "a.b.>"])
    #expect(matches(&index, "a") == [0, 4, 5])
    #expect(matches(&index, "a.b") == [1, 2, 3, 5, 6, 8])
    #expect(matches(&index, "a.b.c") == [3, 5, 7, 9])
    #expect(matches(&index, "x") == [4, 5])
    #expect(matches(&index, "x.b") == [5, 6, 8])
    #expect(matches(&index, "a.b.c.d") == [3, 5, 9])
  }

  @Test("A subject with an empty token reaches no subscription")
  func emptyTokens() {
    var index = index([">", "a.*", "a.>"])
    for subject in ["", ".", "a.", ".a", "a..b"] {
      #expect(matches(&index, subject).isEmpty, "\(subject)")
    }
  }

  @Test("A literal publication to a pattern is delivered once")
  func literalWildcards() {
    var index = index(["a.*", "a.>", "a.*b"])
    #expect(matches(&index, "a.*") == [0, 1])
    #expect(matches(&index, "a.>") == [0, 1])
    #expect(matches(&index, "a.*b") == [0, 1, 2])
  }

  @Test("A queue group joins members across patterns")
  func groups() {
    var index = SubjectIndex()
    let group = Array("q".utf8)
    index.insert(SubscriptionID(number: 1, index: 0), at: Subject("a.*"), group: group)
    index.insert(SubscriptionID(number: 2, index: 0), at: Subject("a.b"), group: group)
    index.insert(
      SubscriptionID(number: 3, index: 0), at: Subject("a.b"), group: Array("other".utf8))
    let match = index.match(Subject("a.b"))
    #expect(match.plain.isEmpty)
    #expect(match.groups.count == 2)
    #expect(Set(match.groups[group]?.map(\.number) ?? []) == [1, 2])
  }

  @Test("A removed subscription is forgotten, also in cached results")
  func removal() {
    var index = index(["a.b", "a.>"])
    #expect(matches(&index, "a.b") == [0, 1])
    index.remove(SubscriptionID(number: 0, index: 0), at: Subject("a.b"), group: nil)
    #expect(matches(&index, "a.b") == [1])
    index.remove(SubscriptionID(number: 1, index: 0), at: Subject("a.>"), group: nil)
    #expect(matches(&index, "a.b").isEmpty)
    #expect(index.count == 0)
  }

  @Test("The results agree with comparing every pattern", arguments: UInt64(0)..<50)
  func agreesWithComparison(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func subject(_ tokens: [String]) -> String {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in
        tokens.randomElement(using: &random)!
      }.joined(separator: ".")
    }
    var index = SubjectIndex()
    var patterns: [Int: String] = [:]
    for step in 0..<200 {
      if Bool.random(using: &random) || patterns.isEmpty {
        let pattern = subject(["a", "b", "*", ">"])
        guard Subject(pattern).isValidPattern else { continue }
        patterns[step] = pattern
        index.insert(SubscriptionID(number: step, index: 0), at: Subject(pattern), group: nil)
      } else {
        let number = patterns.keys.sorted().randomElement(using: &random)!
        let pattern = patterns.removeValue(forKey: number)!
        index.remove(SubscriptionID(number: number, index: 0), at: Subject(pattern), group: nil)
      }
      let published = subject(["a", "b", "c"])
      let expected = patterns.filter { covers($0.value, published) }.keys
      #expect(matches(&index, published) == Set(expected), "seed \(seed), \(published)")
    }
  }

  private func covers(_ pattern: String, _ subject: String) -> Bool {
    let pattern = pattern.split(separator: ".")
    let subject = subject.split(separator: ".")
    for (position, token) in pattern.enumerated() {
      if token == ">" { return subject.count > position }
      guard position < subject.count, token == "*" || token == subject[position] else {
        return false
      }
    }
    return pattern.count == subject.count
  }
}
