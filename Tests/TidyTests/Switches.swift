/// The cases of enums, by the sources' indentation, which the formatter keeps.
enum EnumCases {
  /// The names of the cases of each enum in a file.
  static func all(in file: SourceFile) -> [Set<String>] {
    var found: [Set<String>] = []
    for (index, line) in file.code.enumerated() {
      let words = line.split(separator: " ")
      guard line.hasSuffix("{"), let keyword = words.firstIndex(of: "enum"),
        words[..<keyword].allSatisfy({ !$0.hasPrefix("case") })
      else { continue }
      let indent = line.prefix { $0 == " " }.count
      var names: Set<String> = []
      for inner in file.code[(index + 1)...] {
        let depth = inner.prefix { $0 == " " }.count
        if depth <= indent, !inner.isEmpty { break }
        let text = inner.dropFirst(depth)
        guard depth == indent + 2 else { continue }
        for prefix in ["case ", "indirect case "] where text.hasPrefix(prefix) {
          names.formUnion(Self.names(in: text.dropFirst(prefix.count)))
        }
      }
      if !names.isEmpty { found.append(names) }
    }
    return found
  }

  /// The identifiers that begin the parts of a list.
  static func names(in list: Substring) -> [String] {
    var depth = 0
    return list.split { character in
      depth += "([{".contains(character) ? 1 : ")]}".contains(character) ? -1 : 0
      return depth == 0 && character == ","
    }.map { String($0.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
  }
}

/// The patterns of switches.
enum SwitchPatterns {
  /// For each switch with a `default:` whose patterns all begin with a dot: their names.
  static func withDefault(in code: [String]) -> [Set<String>] {
    var found: [Set<String>] = []
    for (index, line) in code.enumerated()
    where line.drop(while: { $0 == " " }) == "default:"
      || line.drop(while: { $0 == " " }).hasPrefix("default: ")
    {
      let indent = line.prefix { $0 == " " }.count
      var names: Set<String> = []
      var isOurs = true
      for before in code[..<index].reversed() {
        guard before.prefix(while: { $0 == " " }).count <= indent, !before.isEmpty else { continue }
        let text = before.dropFirst(indent)
        guard text.hasPrefix("case ") else { break }
        let list = text.dropFirst(5)
        var depth = 0
        for part in list.split(whereSeparator: { character in
          depth += "([{".contains(character) ? 1 : ")]}".contains(character) ? -1 : 0
          return depth == 0 && (character == "," || character == ":")
        }) {
          let pattern = part.drop { $0 == " " }
          if pattern.hasPrefix(".") {
            names.insert(
              String(pattern.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
          } else if part.startIndex == list.startIndex {
            isOurs = false
          }
        }
      }
      if isOurs, !names.isEmpty { found.append(names) }
    }
    return found
  }
}
