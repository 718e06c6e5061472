import Foundation

/// A page of the manual as it is written, in `Sources/matinee/Installation/Manual`.
public struct ManualPage: Sendable {
  /// The name of the installed file, `matinee.1`.
  public let fileName: String
  /// The page's Markdown, without the parts that the program adds.
  public let text: String

  /// The folder of the pages, and of the script that makes them.
  public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/matinee/Installation/Manual").standardizedFileURL

  /// Returns the page with this file name.
  public static func named(_ fileName: String) throws -> ManualPage {
    let file = folder.appendingPathComponent(fileName + ".md")
    return ManualPage(
      fileName: fileName, text: try String(contentsOf: file, encoding: .utf8))
  }

  /// Returns all pages.
  public static func all() throws -> [ManualPage] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".md") }.map { try named(String($0.dropLast(3))) }
  }

  /// Returns the terms below a heading, and the text of each.
  public func items(below heading: String) -> [(term: String, text: String)] {
    let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") } ?? ""
    return section.components(separatedBy: "\n\n").compactMap { block in
      guard let colon = block.firstRange(of: "\n: ") else { return nil }
      return (String(block[..<colon.lowerBound]), String(block[colon.upperBound...]))
    }
  }
}
