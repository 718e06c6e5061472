import Foundation
import ProcessTesting
import Testing

/// The documentation, built from the modules of this build.
@Suite("Documentation") struct DocumentationTests {
  @Test("It builds without a warning: no link is broken, and each documented parameter exists")
  func builds() throws {
    let root = try Repository.here.get().root
    // The tests' binary is in the folder of the build's products.
    var build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: build.appendingPathComponent("Modules").path) {
      try #require(build.path != "/", "no modules beside the tests")
      build.deleteLastPathComponent()
    }
    let output = RunFolder.make("documentation").appendingPathComponent("site")
    try ChildProcess.run([
      root.appendingPathComponent("Tests/Scripts/docs").path, build.path, output.path,
    ])
    for page in [
      "groupactivities", "playbackcoordination/coordinationrules", "matinee/measurements",
    ] {
      let path = output.appendingPathComponent("documentation/\(page)/index.html").path
      #expect(FileManager.default.fileExists(atPath: path), "\(page)")
    }
  }

  @Test("Each path that an article for contributors names exists, below the root, Sources or Tests")
  func paths() throws {
    let root = try Repository.here.get().root
    for article in ["HowItWorks", "Contributing", "Tests"] {
      let text = try String(
        contentsOf: root.appendingPathComponent("Sources/matinee/matinee.docc/\(article).md"),
        encoding: .utf8)
      let named = text.matches(of: /`([\w.+-]+(?:\/[\w.+-]+)+)`/).map { String($0.output.1) }
      #expect(!named.isEmpty, "\(article)")
      for path in named {
        let found = ["", "Sources/", "Tests/"].contains { folder in
          FileManager.default.fileExists(atPath: root.appendingPathComponent(folder + path).path)
        }
        #expect(found, "\(article) names \(path)")
      }
    }
  }
}
