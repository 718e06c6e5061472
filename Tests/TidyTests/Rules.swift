/// The house's rules: each takes files and returns what breaks it.
enum Rules {
  // MARK: Arrows

  /// Pairs of folders in one target whose types name each other.
  static func folderCircles(in files: [SourceFile]) -> Set<String> {
    var owner: [String: [String: SourceFile]] = [:]
    for file in files {
      for type in file.topLevelTypes where owner[file.target]?[type] == nil {
        owner[file.target, default: [:]][type] = file
      }
    }
    var arrows: Set<[String]> = []
    for file in files {
      for word in file.capitalizedWords {
        guard let other = owner[file.target]?[word], other.folder != file.folder else { continue }
        arrows.insert([file.folder, other.folder])
      }
    }
    return Set(
      arrows.filter { $0[0] < $0[1] && arrows.contains([$0[1], $0[0]]) }
        .map { "\($0[0]) ⇄ \($0[1])" })
  }

  /// Folders, among these of one target, whose files name types of another one of them.
  static func arrows(
    between folders: [String], of target: String, in files: [SourceFile]
  ) -> Set<String> {
    let paths = folders.map { "\(target)/\($0)" }
    var owner: [String: String] = [:]
    for file in files where paths.contains(file.folder) {
      for type in file.topLevelTypes { owner[type] = file.folder }
    }
    var found: Set<String> = []
    for file in files where paths.contains(file.folder) {
      for word in file.capitalizedWords {
        guard let other = owner[word], other != file.folder else { continue }
        found.insert("\(file.folder) → \(other): \(word)")
      }
    }
    return found
  }

  /// Types that files of a target name although they lie on a higher floor, and folders that are no floor.
  ///
  /// - Parameter floors: the target's folders, also those in folders, from the lowest to the highest.
  static func risingArrows(
    of target: String, floors: [String], in files: [SourceFile]
  ) -> Set<String> {
    let files = files.filter { $0.target == target }
    let strangers = Set(files.map(\.floor)).subtracting(floors).map { "\($0) is no floor" }
    var height: [String: Int] = [:]
    for file in files {
      for type in file.topLevelTypes where height[type] == nil {
        height[type] = floors.firstIndex(of: file.floor)
      }
    }
    var found = Set(strangers)
    for file in files {
      guard let own = floors.firstIndex(of: file.floor) else { continue }
      for word in file.capitalizedWords {
        guard let other = height[word], other > own else { continue }
        found.insert("\(file.floor) → \(floors[other]): \(word)")
      }
    }
    return found
  }

  /// Imports of a target of this package that the manifest doesn't name for it.
  static func undeclaredImports(in files: [SourceFile], _ manifest: Manifest) -> Set<String> {
    let targets = Set(files.map(\.target))
    var found: Set<String> = []
    for file in files {
      for module in imports(of: file)
      where targets.contains(module) && module != file.target
        && manifest.dependencies[file.target]?.contains(module) != true
      {
        found.insert("\(file.target) → \(module)")
      }
    }
    return found
  }

  /// C modules that more than one target imports.
  static func sharedModules(in files: [SourceFile], modules: Set<String>) -> Set<String> {
    var importers: [String: Set<String>] = [:]
    for file in files {
      for module in imports(of: file) where modules.contains(module) {
        importers[module, default: []].insert(file.target)
      }
    }
    return Set(
      importers.filter { $0.value.count > 1 }
        .map { "\($0.key): \($0.value.sorted().joined(separator: ", "))" })
  }

  private static func imports(of file: SourceFile) -> [String] {
    file.code.compactMap { line in
      let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
      guard words.first == "import" else { return nil }
      return words.last.map(String.init)
    }
  }

  // MARK: Bounds and failures

  /// The number of streams in each file that name no bound.
  static func unboundedStreams(in files: [SourceFile]) -> [String: Int] {
    count(files) { file in
      let text = file.code.joined(separator: "\n")
      let calls =
        arguments(of: "AsyncStream", in: text) + arguments(of: "AsyncThrowingStream", in: text)
      return calls.count { !$0.contains("bufferingPolicy") && !$0.contains("unfolding") }
    }
  }

  /// The arguments of calls of a generic type's initializer or of its `makeStream`.
  private static func arguments(of type: String, in text: String) -> [Substring] {
    var found: [Substring] = []
    var rest = text[...]
    while let range = rest.range(of: type) {
      rest = rest[range.upperBound...]
      var tail = rest
      if tail.first == "<" {
        var depth = 0
        while let character = tail.first {
          depth += character == "<" ? 1 : character == ">" ? -1 : 0
          tail = tail.dropFirst()
          if depth == 0 { break }
        }
      }
      if tail.hasPrefix(".makeStream") { tail = tail.dropFirst(".makeStream".count) }
      guard tail.first == "(", let list = balanced(tail) else { continue }
      found.append(list)
    }
    return found
  }

  /// The text from an opening parenthesis to the one that closes it.
  private static func balanced(_ text: Substring) -> Substring? {
    var depth = 0
    for index in text.indices {
      depth += text[index] == "(" ? 1 : text[index] == ")" ? -1 : 0
      if depth == 0 { return text[...index] }
    }
    return nil
  }

  /// The number of failed reads in each file for which a default is substituted: `(try? …) ??`.
  static func substitutedFailures(in files: [SourceFile]) -> [String: Int] {
    count(files) { file in
      var rest = file.code.joined(separator: "\n")[...]
      var found = 0
      while let range = rest.range(of: "(try? ") {
        let list = balanced(rest[range.lowerBound...])
        rest = rest[range.upperBound...]
        guard let end = list?.endIndex else { continue }
        let tail = file.code.isEmpty ? "" : rest[end...].drop { $0.isWhitespace }.prefix(2)
        if tail == "??" { found += 1 }
      }
      return found
    }
  }

  // MARK: Exhaustiveness

  /// The number of switches in each target that have a `default:` although all their patterns are cases of one of
  /// the package's own enums.
  static func defaultsOverOwnEnums(in files: [SourceFile]) -> [String: Int] {
    let enums = files.flatMap(EnumCases.all)
    var counts: [String: Int] = [:]
    for file in files {
      for names in SwitchPatterns.withDefault(in: file.code)
      where enums.contains(where: { names.isSubset(of: $0) }) {
        counts[file.target, default: 0] += 1
      }
    }
    return counts
  }

  // MARK: Documentation

  /// The number of public declarations in each target that have no comment, with the cases of public enums and the
  /// requirements of public protocols.
  static func undocumented(in files: [SourceFile]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for file in files {
      /// The public enum or protocol around a line: its indentation, and what its members begin with.
      var body: (indentation: Int, members: [String])?
      for (index, line) in file.lines.enumerated() {
        let text = line.drop { $0 == " " }
        let indentation = line.count - text.count
        if let open = body, text.hasPrefix("}"), indentation == open.indentation { body = nil }
        let isMember =
          body.map { body in
            indentation == body.indentation + 2 && body.members.contains { text.hasPrefix($0) }
          } ?? false
        if text.hasSuffix("{"), let members = members(of: text) { body = (indentation, members) }
        guard text.hasPrefix("public ") || isMember, !obvious.contains(where: text.contains) else {
          continue
        }
        let before = file.lines[..<index].last {
          !$0.drop { $0 == " " }.hasPrefix("@")
        }
        if before?.drop(while: { $0 == " " }).hasPrefix("///") != true {
          counts[file.target, default: 0] += 1
        }
      }
    }
    return counts
  }

  /// Returns what the members of an enum or protocol begin with; nil for another declaration.
  private static func members(of declaration: Substring) -> [String]? {
    if declaration.hasPrefix("public enum ") || declaration.hasPrefix("public indirect enum ") {
      return ["case "]
    }
    guard declaration.hasPrefix("public protocol ") else { return nil }
    return ["func ", "var ", "init(", "static ", "mutating ", "associatedtype ", "subscript("]
  }

  /// Requirements of the standard library's protocols, which are documented there.
  private static let obvious = [
    "init(from decoder", "func encode(to", "func hash(into", "static func ==", "static func <",
    "var description: String", "public extension",
  ]

  /// The number of doc comments in each target that begin without a head or use words to avoid.
  static func headlessComments(in files: [SourceFile]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for file in files {
      var isInside = false
      for line in file.lines {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///") else {
          isInside = false
          continue
        }
        let sentence = text.dropFirst(3).drop { $0 == " " }
        if !isInside, !sentence.isEmpty, !sentence.hasPrefix("-"), isHeadless(sentence) {
          counts[file.target, default: 0] += 1
        }
        isInside = true
      }
    }
    return counts
  }

  private static func isHeadless(_ sentence: Substring) -> Bool {
    let words = sentence.split { !$0.isLetter && $0 != "'" && $0 != "’" }
    guard let first = words.first else { return false }
    return heads.contains(String(first)) || words.contains { avoided.contains($0.lowercased()) }
  }

  private static let heads: Set<String> = [
    "What", "Whoever", "Whose", "Who", "Whom", "Whether", "Of", "By", "So", "That", "Where", "When",
    "How", "Nobody", "Somebody", "Nothing", "Something", "Those", "Others", "From", "Until",
    "Since",
  ]
  private static let avoided: Set<String> = [
    "whoever", "whom", "somebody", "nobody", "anybody", "everybody", "oneself", "anew", "told",
    "tells", "stand", "stands", "mend", "mends",
  ]

  // MARK: Declarations

  /// The stored variables that more than one file may write, by their types: those of actors, classes and, if an
  /// extension has a mutating function, structs that are extended in another file of their target.
  static func openVariables(in files: [SourceFile]) -> [String: Int] {
    struct Kind { var keyword: String, path: String, variables: Int }
    let declarations = files.map { (file: $0, all: Declarations.all(in: $0)) }
    var types: [String: Kind] = [:]
    for (file, all) in declarations {
      for type in all where ["struct", "class", "actor"].contains(type.keyword) && !type.isPrivate {
        let variables = all.filter {
          $0.owner == type.fullName && $0.keyword == "var" && $0.isStored
            && $0.modifiers.isDisjoint(with: guards)
        }
        types["\(file.target).\(type.fullName)"] = Kind(
          keyword: type.keyword, path: file.path, variables: variables.count)
      }
    }
    var found: [String: Int] = [:]
    for (file, all) in declarations {
      for part in all where part.keyword == "extension" {
        let name = "\(file.target).\(part.fullName)"
        guard let type = types[name], type.path != file.path, type.variables > 0,
          type.keyword != "struct"
            || all.contains(where: {
              $0.owner == part.fullName && $0.modifiers.contains("mutating")
            })
        else { continue }
        found[name] = type.variables
      }
    }
    return found
  }

  private static let guards: Set<String> = [
    "private", "fileprivate", "private(set)", "fileprivate(set)", "static",
  ]

  /// The declarations that no code names, except the public ones of libraries that adopters import.
  static func dead(in files: [SourceFile], libraries: Set<String>) -> Set<String> {
    var words: [String: Int] = [:]
    var declared: [String: [(target: String, declaration: Declaration)]] = [:]
    for file in files {
      file.countWords(into: &words)
      for declaration in Declarations.all(in: file) where declaration.keyword != "extension" {
        declared[declaration.name, default: []].append((file.target, declaration))
      }
    }
    var found: Set<String> = []
    for (name, all) in declared where words[name] ?? 0 <= all.count && !requirements.contains(name)
    {
      for (target, declaration) in all
      where !(declaration.isPublic && libraries.contains(target))
        && !declaration.modifiers.contains("@main")
        && !(declaration.keyword == "case" && !declaration.inherited.isDisjoint(with: fromText))
        && !(declaration.isStored && !declaration.inherited.isDisjoint(with: written))
      {
        found.insert("\(target).\(declaration.fullName)")
      }
    }
    return found
  }

  /// Requirements of protocols of the standard library and of other packages.
  private static let requirements: Set<String> = [
    "description", "debugDescription", "hash", "encode", "makeIterator", "unownedExecutor",
    "checkIsolated", "appendInterpolation", "appendLiteral", "validate", "databaseTableName",
    "InboundIn", "InboundOut", "OutboundIn", "OutboundOut", "handlerAdded", "handlerRemoved",
    "channelActive", "channelInactive", "channelRead", "channelReadComplete",
    "userInboundEventTriggered", "errorCaught",
  ]

  /// The types in the clause of an enum whose cases are made from a text or a number, or listed.
  private static let fromText: Set<String> = [
    "String", "Int", "UInt8", "UInt16", "UInt32", "UInt64", "Int32", "CaseIterable", "CodingKey",
  ]

  /// The protocols of a type whose stored properties an encoder reads.
  private static let written: Set<String> = ["Codable", "Encodable"]

  private static func count(
    _ files: [SourceFile], _ body: (SourceFile) -> Int
  ) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: files.map { ($0.path, body($0)) }.filter { $0.1 > 0 })
  }
}
