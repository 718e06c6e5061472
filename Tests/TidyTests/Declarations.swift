/// A declaration of a type, a function, a variable, a constant or an enum's case.
struct Declaration: Hashable, Sendable {
  var name: String
  /// `func`, `var`, `case`, `struct`, `extension` …
  var keyword: String
  /// Its modifiers, and those that it has from the declaration around it: the cases of a public enum are public.
  var modifiers: Set<String>
  /// The protocols and the class after the colon of a type or extension, or of what is around the declaration.
  var inherited: Set<String>
  /// The names of the types around it, joined by dots.
  var owner: String
  var isStored: Bool

  var isPrivate: Bool { modifiers.contains("private") || modifiers.contains("fileprivate") }
  var isPublic: Bool { modifiers.contains("public") || modifiers.contains("open") }
  var fullName: String { owner.isEmpty ? name : "\(owner).\(name)" }
}

/// The declarations of a file that aren't local, by the sources' indentation, which the formatter keeps.
enum Declarations {
  static func all(in file: SourceFile) -> [Declaration] {
    var reader = Reader(code: file.code)
    reader.read()
    return reader.found
  }

  private struct Scope {
    var declaration: Declaration
    var indent: Int
    /// The number of compilation conditions around it, each of which indents.
    var conditions: Int
  }

  private struct Reader {
    let code: [String]
    var found: [Declaration] = []
    private var scopes: [Scope] = []
    private var conditions = 0

    init(code: [String]) { self.code = code }

    mutating func read() {
      for (index, line) in code.enumerated() {
        let indent = line.prefix { $0 == " " }.count
        let text = line.dropFirst(indent)
        if text.isEmpty { continue }
        if text.hasPrefix("#if") { conditions += 1 }
        if text.hasPrefix("#endif") { conditions -= 1 }
        if text.hasPrefix("}"), indent == scopes.last?.indent {
          scopes.removeLast()
          continue
        }
        let outer = scopes.last.map { $0.indent + 2 + 2 * (conditions - $0.conditions) }
        guard indent == outer ?? 2 * conditions else { continue }
        declare(text, below: code[(index + 1)...], indent: indent)
      }
    }

    /// Notes what a line declares, and begins the scope of a type.
    private mutating func declare(
      _ line: Substring, below: ArraySlice<String>, indent: Int
    ) {
      var (modifiers, words) = Self.withoutModifiers(line)
      guard let keyword = words.first.map(String.init), Self.keywords.contains(keyword) else {
        return
      }
      let around = scopes.last?.declaration
      if let around, around.keyword != "extension" || keyword != "init" {
        modifiers.formUnion(
          around.modifiers.intersection(
            keyword == "case" || around.keyword == "protocol" || around.keyword == "extension"
              ? ["public", "private", "fileprivate"] : ["private", "fileprivate"]))
      }
      words = words.dropFirst()
      let rest = words.joined(separator: " ")
      let owner = around?.fullName ?? ""
      switch keyword {
      case "case" where around?.keyword == "enum":
        for name in EnumCases.names(in: Self.whole(rest, below, indent)[...]) {
          add(name, keyword, modifiers, around?.inherited ?? [], owner, isStored: false)
        }
      case "case": break
      case "var", "let":
        let whole = Self.whole(rest, below, indent)
        let isStored = keyword == "let" || Self.isStored(whole)
        for name in Self.names(in: whole) {
          add(name, keyword, modifiers, around?.inherited ?? [], owner, isStored: isStored)
        }
      case "func", "typealias": add(Self.name(rest), keyword, modifiers, [], owner, isStored: false)
      default:
        // The declaration's line may end before its brace.
        let header = ([rest] + (rest.contains("{") ? [] : below.prefix(8).map { $0 }))
          .joined(separator: " ").prefix { $0 != "{" }
        let inherited = Set(
          header.drop { $0 != ":" }.split { !$0.isLetter && !$0.isNumber && $0 != "." }
            .map(String.init))
        let type = add(Self.name(rest), keyword, modifiers, inherited, owner, isStored: false)
        let scope = Scope(declaration: type, indent: indent, conditions: conditions)
        if rest.contains("{"), rest.count(where: { $0 == "{" }) == rest.count(where: { $0 == "}" })
        {
          scopes.append(scope)
          let body = rest.drop { $0 != "{" }.dropFirst().dropLast()
          for member in body.split(separator: ";") {
            declare(member.drop { $0 == " " }, below: [], indent: indent + 2)
          }
          scopes.removeLast()
        } else {
          scopes.append(scope)
        }
      }
    }

    @discardableResult
    private mutating func add(
      _ name: String, _ keyword: String, _ modifiers: Set<String>, _ inherited: Set<String>,
      _ owner: String, isStored: Bool
    ) -> Declaration {
      let declaration = Declaration(
        name: name, keyword: keyword, modifiers: modifiers, inherited: inherited, owner: owner,
        isStored: isStored)
      // An operator has no name.
      if !name.isEmpty { found.append(declaration) }
      return declaration
    }

    private static let keywords: Set<String> = [
      "func", "var", "let", "case", "typealias", "struct", "class", "enum", "actor", "protocol",
      "extension",
    ]

    private static let modifiers: Set<String> = [
      "public", "package", "internal", "fileprivate", "private", "final", "indirect",
      "nonisolated", "distributed", "lazy", "weak", "unowned", "open", "override", "static",
      "mutating", "nonmutating", "consuming", "borrowing", "prefix", "postfix", "infix",
      "required", "convenience", "dynamic", "optional", "isolated", "sending",
    ]

    /// Splits a line into its modifiers and attributes, and the words after them. `class` is a modifier before `func`
    /// and `var`.
    private static func withoutModifiers(
      _ line: Substring
    ) -> (modifiers: Set<String>, words: ArraySlice<Substring>) {
      var rest = line
      var modifiers: Set<String> = []
      while let word = rest.split(separator: " ", maxSplits: 1).first {
        let base = word.prefix { $0 != "(" }
        guard word.hasPrefix("@") || Self.modifiers.contains(String(base)) else { break }
        rest = rest.dropFirst(base.count)
        var argument = ""
        if rest.first == "(" {
          var depth = 0
          argument = String(
            rest.prefix { character in
              defer { depth += character == "(" ? 1 : character == ")" ? -1 : 0 }
              return depth > 0 || character == "("
            })
          rest = rest.dropFirst(argument.count)
        }
        modifiers.insert(base + argument)
        rest = rest.drop { $0 == " " }
      }
      var words = rest.split(separator: " ")[...]
      if words.first == "class", let next = words.dropFirst().first, ["func", "var"].contains(next)
      {
        modifiers.insert("static")
        words = words.dropFirst()
      }
      return (modifiers, words)
    }

    /// The declaration with its lines below.
    private static func whole(_ first: String, _ below: ArraySlice<String>, _ indent: Int) -> String
    {
      var whole = first
      for line in below {
        let depth = line.prefix { $0 == " " }.count
        let text = line.dropFirst(depth)
        guard depth > indent || text.isEmpty || depth == indent && "})]".contains(text.prefix(1))
        else { break }
        whole += " " + text
      }
      return whole
    }

    /// The identifier at the beginning; an extension's has dots.
    private static func name(_ text: String) -> String {
      String(
        text.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    }

    /// The names that a variable's declaration makes.
    private static func names(in declaration: String) -> [String] {
      if declaration.hasPrefix("(") {
        return declaration.dropFirst().prefix { $0 != ")" }.split(separator: ",").map {
          name(String($0.drop { $0 == " " }))
        }.filter { $0 != "_" }
      }
      return [name(declaration)]
    }

    private static func isStored(_ declaration: String) -> Bool {
      let text = declaration.replacing("->", with: "")
      guard let mark = text.firstIndex(where: { $0 == "{" || $0 == "=" }), text[mark] == "{" else {
        return true
      }
      let body = text[mark...].dropFirst().drop { $0 == " " }
      return body.hasPrefix("willSet") || body.hasPrefix("didSet")
    }
  }
}
