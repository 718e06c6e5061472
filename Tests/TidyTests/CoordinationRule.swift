import Foundation

/// A numbered rule of the article on groups, and the suites below it.
struct CoordinationRule {
  var number: Int
  var suites: [String] = []

  /// The rules of an article, in its order.
  static func all(in article: String) -> [CoordinationRule] {
    var rules: [CoordinationRule] = []
    var isInSuites = false
    for line in article.components(separatedBy: "\n") {
      let text = line.trimmingCharacters(in: .whitespaces)
      if line.first?.isNumber == true, let number = Int(text.prefix { $0 != "." }) {
        rules.append(CoordinationRule(number: number))
        isInSuites = false
      } else if text.isEmpty || text.hasPrefix("#") {
        isInSuites = false
      }
      if text.hasPrefix("Tests:") { isInSuites = true }
      guard isInSuites, !rules.isEmpty else { continue }
      rules[rules.count - 1].suites += text.components(separatedBy: "`").enumerated()
        .filter { $0.offset % 2 == 1 }.map(\.element)
    }
    return rules
  }
}
