import Foundation
import ProcessTesting
import Testing

/// A package of others that depends on this one. Nothing comes from the network: the fetched copies of this package's
/// dependencies stand for their origins.
@Suite("Adopting a library")
struct AdoptionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    "An adopter fetches only what the libraries use",
    arguments: [
      (
        [
          "Timekeeping", "GroupActivities", "GroupJournal", "PlaybackCoordination",
          "CoordinatedPlayer", "DrawTogether", "WatchTogether", "NowPlaying", "PartyTesting",
        ], "[]", ["swift-asn1", "swift-collections", "swift-crypto"]
      ),
      (
        ["NATSTransport", "EmbeddedRelay"], "[\"Networking\"]",
        [
          "swift-asn1", "swift-atomics", "swift-collections", "swift-crypto", "swift-log",
          "swift-nio", "swift-nio-ssl", "swift-system",
        ]
      ),
    ])
  func fetches(products: [String], traits: String, dependencies: [String]) throws {
    let folder = Clips.folder.appendingPathComponent("adopter-\(UUID().uuidString)")
    let sources = folder.appendingPathComponent("Sources/Adopter")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let used = products.map { ".product(name: \"\($0)\", package: \"matinee\")" }
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "Adopter",
        dependencies: [.package(name: "matinee", path: "\(Self.root.path)", traits: \(traits))],
        targets: [
          .executableTarget(
            name: "Adopter", dependencies: [\(used.joined(separator: ", "))])
        ])
      """
    try manifest.write(
      to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    // Nothing is built.
    try "".write(
      to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    try ChildProcess.run(
      ["swift", "package", "--package-path", folder.path, "--disable-dependency-cache", "resolve"],
      environment: try Self.offline())
    let checkouts = folder.appendingPathComponent(".build/checkouts").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: checkouts).sorted() == dependencies)
  }

  /// The environment in which git takes the fetched copies for their origins.
  private static func offline() throws -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    let copies = root.appendingPathComponent(".build/repositories")
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: copies.path) {
      let copy = copies.appendingPathComponent(name).path
      let origin = try ChildProcess.run(["git", "-C", copy, "config", "remote.origin.url"])
        .trimmingCharacters(in: .whitespacesAndNewlines)
      environment["GIT_CONFIG_KEY_\(count)"] = "url.file://\(copy).insteadOf"
      environment["GIT_CONFIG_VALUE_\(count)"] = origin
      count += 1
    }
    environment["GIT_CONFIG_COUNT"] = "\(count)"
    return environment
  }
}
