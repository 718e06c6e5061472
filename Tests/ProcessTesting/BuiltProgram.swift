import Foundation

/// A program that was built beside the tests.
package enum BuiltProgram {
  /// - Throws: ``ChildProcess/Failure`` if it isn't there.
  package static func url(_ name: String) throws -> URL {
    var folder = Bundle.main.bundleURL
    for _ in 0..<4 {
      let candidate = folder.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    throw ChildProcess.Failure("\(name) isn't built beside the tests")
  }
}
