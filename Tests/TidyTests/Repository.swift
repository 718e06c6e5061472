import Foundation

/// The repository's text, read once.
struct Repository: Sendable {
  let root: URL
  let sources: [SourceFile]
  let tests: [SourceFile]
  /// `Package.swift`.
  let manifest: String
  /// The article with the rules of a group, and the suites that prove each.
  let rulePage: String

  static let rulePagePath =
    "Sources/PlaybackCoordination/PlaybackCoordination.docc/CoordinationRules.md"

  static let here = Result { try Repository() }

  private init() throws {
    root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    sources = try Self.files(in: "Sources", of: root)
    tests = try Self.files(in: "Tests", of: root)
    manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    rulePage = try String(
      contentsOf: root.appendingPathComponent(Self.rulePagePath), encoding: .utf8)
  }

  private static func files(in folder: String, of root: URL) throws -> [SourceFile] {
    let base = root.appendingPathComponent(folder)
    guard let walk = FileManager.default.enumerator(atPath: base.path) else {
      throw CocoaError(.fileReadNoSuchFile)
    }
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map {
      SourceFile(
        path: "\(folder)/\($0)",
        text: try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
    }
  }
}

/// The targets of a package manifest, and what each may import.
struct Manifest {
  private(set) var dependencies: [String: Set<String>] = [:]
  /// The targets of libraries that adopters import.
  private(set) var libraries: Set<String> = []

  init(_ text: String) {
    for part in text.components(separatedBy: ".library(").dropFirst() {
      guard let list = part.range(of: "targets: [") else { continue }
      let quoted = part[list.upperBound...].prefix { $0 != "]" }.split(separator: "\"")
      libraries.formUnion(quoted.map(String.init))
    }
    for part in text.components(separatedBy: "arget(").dropFirst() {
      let strings = part.components(separatedBy: "\"")
      guard strings.count > 1, let list = part.range(of: "dependencies: [") else { continue }
      var depth = 1
      let body = part[list.upperBound...].prefix { character in
        depth += character == "[" ? 1 : character == "]" ? -1 : 0
        return depth > 0
      }
      let quoted = body.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }
      dependencies[strings[1], default: []].formUnion(quoted.map(\.element))
      // A target's folder may have another name, and the examples share one.
      for root in ["Tests/", "Sources/"] {
        guard let path = part.range(of: "path: \"" + root) else { continue }
        let folder = String(part[path.upperBound...].prefix { $0 != "\"" && $0 != "/" })
        dependencies[folder, default: []].formUnion(quoted.map(\.element))
      }
    }
  }
}
