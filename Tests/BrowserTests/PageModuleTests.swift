import Foundation
import ProcessTesting
import Testing

/// The page's modules without a browser: node runs their own tests, in `Tests/Page`.
@Suite("Modules of the page") struct PageModuleTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

  /// Returns the paths of the files in a folder whose names end so, which is at least one.
  private static func files(_ folder: String, _ ending: String) throws -> [String] {
    let files = try FileManager.default
      .contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
    try #require(!files.isEmpty, "no file \(ending) in \(folder)")
    return files.map { root.appendingPathComponent("\(folder)/\($0)").path }
  }

  @Test("Each module is JavaScript that node reads")
  func syntax() throws {
    for file in try Self.files("Sources/Doors/Page", ".js") {
      #expect(throws: Never.self) { try ChildProcess.run(["node", "--check", file]) }
    }
  }

  /// The output of a failure names the test and shows its values.
  @Test("The modules' own tests pass in node")
  func ownTests() throws {
    let output = try ChildProcess.run(
      ["node", "--test", "--test-reporter=tap"] + Self.files("Tests/Page", ".test.js"))
    let passed = output.split(separator: "\n").first { $0.hasPrefix("# pass ") }
    #expect(passed.flatMap { Int($0.dropFirst(7)) } ?? 0 > 0, "\(output)")
  }
}
