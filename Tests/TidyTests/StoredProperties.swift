/// The stored properties of types, by the sources' indentation, which the formatter keeps.
enum StoredProperties {
  /// Returns the number of stored properties of each type in a file, by the type's full name. Those of the instances
  /// count; static and local ones don't.
  static func counts(in file: SourceFile) -> [String: Int] {
    var counts: [String: Int] = [:]
    var enclosing: [(name: String, indent: Int)] = []
    for (index, line) in file.code.enumerated() {
      let indent = indent(of: line)
      while let last = enclosing.last, indent <= last.indent, !line.isEmpty {
        // The end of a long header is no end of the type.
        if indent == last.indent, !"}".contains(line.dropFirst(indent).prefix(1)),
          isHeaderOpen(from: last.name, file.code[..<index])
        {
          break
        }
        enclosing.removeLast()
      }
      guard let (kind, name) = declaredType(line) else { continue }
      let full = (enclosing.map(\.name) + [name]).joined(separator: ".")
      if !isBalanced(line) { enclosing.append((name, indent)) }
      guard ["struct", "class", "actor"].contains(kind) else { continue }
      let count = members(ofTypeAt: index, in: file.code).reduce(0) { $0 + stored(in: $1) }
      counts[full] = max(counts[full] ?? 0, count)
    }
    return counts
  }

  private static func indent(of line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func isBalanced(_ line: String) -> Bool {
    line.contains("{") && line.count { $0 == "{" } == line.count { $0 == "}" }
  }

  /// Returns whether the declaration of `name` has no opening brace yet.
  private static func isHeaderOpen(from name: String, _ code: ArraySlice<String>) -> Bool {
    guard let start = code.lastIndex(where: { declaredType($0)?.name == name }) else {
      return false
    }
    return !code[start...].contains { $0.contains("{") }
  }

  /// Returns the kind and the name of the type or extension that a line declares.
  private static func declaredType(_ line: String) -> (kind: String, name: String)? {
    let words = withoutModifiers(line)
    guard let kind = words.first, kinds.contains(String(kind)), let word = words.dropFirst().first
    else { return nil }
    let name = word.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard let first = name.first, first.isUppercase else { return nil }
    return (String(kind), String(name))
  }

  private static let kinds: Set<String> = ["struct", "class", "actor", "enum", "extension"]

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
    "distributed", "lazy", "weak", "unowned", "open", "override", "private(set)",
    "fileprivate(set)", "internal(set)", "package(set)", "public(set)", "nonisolated(unsafe)",
    "unowned(unsafe)", "unowned(safe)",
  ]

  private static func withoutModifiers(_ line: String) -> ArraySlice<Substring> {
    line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains(String($0)) }
  }

  /// Returns the declarations in a type, each in one line with its body.
  private static func members(ofTypeAt start: Int, in code: [String]) -> [String] {
    let line = code[start]
    if isBalanced(line) {
      let body = line.drop { $0 != "{" }.dropFirst().prefix { $0 != "}" }
      return body.split(separator: ";").map { String($0) }
    }
    let outer = indent(of: line)
    var inner = outer + 2
    var members: [String] = []
    for line in code[(start + 1)...] {
      let depth = indent(of: line)
      let text = line.dropFirst(depth)
      if depth == outer, text.hasPrefix("}") { break }
      // The formatter indents what is between compilation conditions.
      if text.hasPrefix("#endif") { inner -= 2 }
      if depth == inner, !text.isEmpty, !text.hasPrefix("#"), !text.hasPrefix("}") {
        members.append(String(text))
      } else if depth >= inner, !text.isEmpty, !members.isEmpty {
        members[members.count - 1] += " " + text
      }
      if text.hasPrefix("#if") { inner += 2 }
    }
    return members
  }

  /// Returns the number of stored properties that one declaration makes.
  private static func stored(in member: String) -> Int {
    let words = withoutModifiers(member)
    guard let keyword = words.first, keyword == "let" || keyword == "var" else { return 0 }
    let declaration = words.dropFirst().joined(separator: " ").replacing("->", with: "")
    var depth = 0
    var count = 1
    var isPattern = declaration.first == "("
    for (offset, character) in declaration.enumerated() {
      switch character {
      case "{" where depth == 0:
        let body = declaration.dropFirst(offset + 1).drop { $0 == " " }
        let observes = body.hasPrefix("willSet") || body.hasPrefix("didSet")
        return observes || keyword == "let" ? count : count - 1
      case "=" where depth == 0:
        return count + others(in: declaration.dropFirst(offset + 1))
      case "(", "[", "{", "<": depth += 1
      case ")", "]", "}", ">":
        depth -= 1
        if depth == 0 { isPattern = false }
      case "," where depth == 0 || depth == 1 && isPattern: count += 1
      default: break
      }
    }
    return count
  }

  /// Returns the number of names that follow a value in the same declaration: `var a = 1, b = 2`.
  private static func others(in values: Substring) -> Int {
    var depth = 0
    return values.count { character in
      depth += "([{".contains(character) ? 1 : ")]}".contains(character) ? -1 : 0
      return depth == 0 && character == ","
    }
  }
}
