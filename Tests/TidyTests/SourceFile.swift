import Foundation

/// One Swift file of the repository, as text: the rules need no compiler.
struct SourceFile: Sendable {
  /// Relative to the repository: `Sources/TerminalUI/Views/ChatView.swift`.
  let path: String
  /// The lines as they are written.
  let lines: [String]
  /// The lines without comments and without the contents of strings.
  let code: [String]
  /// The code in the strings' interpolations.
  let interpolations: String

  init(path: String, text: String) {
    self.path = path
    lines = text.components(separatedBy: "\n")
    let blanked = Blanking.code(of: text)
    code = blanked.code.components(separatedBy: "\n")
    interpolations = blanked.interpolations
  }

  /// The target that the file belongs to.
  var target: String { String(path.split(separator: "/").dropFirst().first ?? "") }

  /// The folder in the target: `TerminalUI/Views`, or `TerminalUI/.` for files beside the folders.
  var folder: String {
    let parts = path.split(separator: "/").dropFirst().map(String.init)
    return parts.count > 2 ? "\(parts[0])/\(parts[1])" : "\(parts.first ?? "")/."
  }

  /// The whole path of the folder in the target: `Machines/Clock`.
  var floor: String { path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/") }

  /// The types that are declared at the first column.
  var topLevelTypes: [String] {
    code.compactMap { line in
      guard let first = line.first, first != " " else { return nil }
      var words = line.split(separator: " ")[...]
      while let word = words.first, word.hasPrefix("@") || Self.modifiers.contains(String(word)) {
        words = words.dropFirst()
      }
      guard let kind = words.first, Self.kinds.contains(String(kind)) else { return nil }
      return words.dropFirst().first.map { String($0.prefix { $0.isLetter || $0.isNumber }) }
    }
  }

  /// The capitalized words in the code, which are mostly types.
  var capitalizedWords: Set<String> {
    var words: Set<String> = []
    for line in code {
      Blanking.forEachWord(in: line) { if 65...90 ~= $0[0] { words.insert(Self.text($0)) } }
    }
    return words
  }

  /// Counts the words of the code and of the strings' interpolations.
  func countWords(into counts: inout [String: Int]) {
    for line in code + [interpolations] {
      Blanking.forEachWord(in: line) { counts[Self.text($0), default: 0] += 1 }
    }
  }

  private static func text(_ word: [UInt8]) -> String { String(decoding: word, as: UTF8.self) }

  static let kinds: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
    "distributed",
  ]
}

/// Replaces comments and the contents of strings by nothing, and keeps the lines. The code in interpolations is kept
/// beside.
enum Blanking {
  static func isWord(_ byte: UInt8) -> Bool {
    byte >= 97 && byte <= 122 || byte >= 65 && byte <= 90 || byte >= 48 && byte <= 57 || byte == 95
  }

  static func forEachWord(in text: String, _ body: ([UInt8]) -> Void) {
    var word: [UInt8] = []
    for byte in text.utf8 {
      if isWord(byte) {
        word.append(byte)
      } else if !word.isEmpty {
        body(word)
        word = []
      }
    }
    if !word.isEmpty { body(word) }
  }

  static func code(of text: String) -> (code: String, interpolations: String) {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var inside: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    func next(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == slash, next(1) == slash {
        while index < bytes.count, bytes[index] != newline { index += 1 }
      } else if byte == slash, next(1) == star {
        while index < bytes.count, !(bytes[index] == star && next(1) == slash) {
          if bytes[index] == newline { out.append(newline) }
          index += 1
        }
        index += 2
      } else if byte == quote || byte == hash && (next(1) == quote || next(1) == hash) {
        index = endOfString(from: index, in: bytes, &out, &inside)
      } else {
        out.append(byte)
        index += 1
      }
    }
    return (String(decoding: out, as: UTF8.self), String(decoding: inside, as: UTF8.self))
  }

  private static let (slash, star, quote, hash, backslash, newline) =
    (UInt8(47), UInt8(42), UInt8(34), UInt8(35), UInt8(92), UInt8(10))

  /// Skips a literal with any number of `#` and quotes, and leaves `""` in its place.
  private static func endOfString(
    from start: Int, in bytes: [UInt8], _ out: inout [UInt8], _ inside: inout [UInt8]
  ) -> Int {
    var index = start
    var hashes = 0
    while index < bytes.count, bytes[index] == hash { (hashes, index) = (hashes + 1, index + 1) }
    guard index < bytes.count, bytes[index] == quote else {
      out.append(contentsOf: bytes[start..<index])
      return index
    }
    let isLong =
      index + 2 < bytes.count && bytes[index + 1] == quote && bytes[index + 2] == quote
      && !(hashes == 0 && index + 3 < bytes.count && bytes[index + 3] == quote)
    let quotes = isLong ? 3 : 1
    index += quotes
    out += [quote, quote]
    while index < bytes.count {
      if bytes[index] == newline { out.append(newline) }
      if bytes[index] == backslash, isFollowed(by: hashes, index + 1, bytes) {
        index += 1 + hashes
        if index < bytes.count, bytes[index] == 40 {
          index = endOfInterpolation(from: index, in: bytes, &out, &inside)
          continue
        }
        if index < bytes.count, bytes[index] == newline { out.append(newline) }
        index += 1
        continue
      }
      let ends =
        bytes[index] == quote
        && (0..<quotes).allSatisfy { index + $0 < bytes.count && bytes[index + $0] == quote }
      if ends, isFollowed(by: hashes, index + quotes, bytes) { return index + quotes + hashes }
      index += 1
    }
    return index
  }

  private static func isFollowed(by hashes: Int, _ index: Int, _ bytes: [UInt8]) -> Bool {
    (0..<hashes).allSatisfy { index + $0 < bytes.count && bytes[index + $0] == hash }
  }

  private static func endOfInterpolation(
    from start: Int, in bytes: [UInt8], _ out: inout [UInt8], _ inside: inout [UInt8]
  ) -> Int {
    var index = start
    var depth = 0
    var ignored: [UInt8] = []
    while index < bytes.count {
      switch bytes[index] {
      case 40: depth += 1
      case 41: depth -= 1
      case quote:
        index = endOfString(from: index, in: bytes, &ignored, &inside)
        continue
      case newline: out.append(newline)
      default: break
      }
      inside.append(bytes[index])
      index += 1
      if depth == 0 { return index }
    }
    return index
  }
}
