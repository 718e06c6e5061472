import Foundation
import Testing

@testable import GroupActivities

/// One parser, and its invariants for any bytes: one function for the short run of every `make
/// test` and for libFuzzer (`make fuzz`).
struct FuzzTarget: Sendable, CustomTestStringConvertible {
  /// The name for `make fuzz PARSER=…` and for the folder of its corpus.
  let name: String
  /// Valid inputs to begin from, which pass the first check.
  let seeds: @Sendable () -> [[UInt8]]
  /// A Boolean value that indicates whether the parser accepts an input as well-formed; nil if it
  /// doesn't report that. A seed in an outdated encoding is refused at the first check, so that the
  /// code after it would not be tested.
  let isAccepted: (@Sendable ([UInt8]) -> Bool)?
  /// Throws ``Broken`` if an invariant doesn't hold. A crash is found by crashing.
  let body: @Sendable ([UInt8]) throws -> Void

  /// The largest input that libFuzzer makes, in bytes.
  let limit: Int

  init(
    _ name: String, seeds: @autoclosure @escaping @Sendable () -> [[UInt8]],
    isAccepted: (@Sendable ([UInt8]) -> Bool)? = nil, limit: Int = 16_384,
    body: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.seeds = seeds
    self.isAccepted = isAccepted
    self.limit = limit
    self.body = body
  }

  init(
    _ name: String, texts: [String], body: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.init(name, seeds: texts.map { Array($0.utf8) }, body: body)
  }

  var testDescription: String { name }

  static let all: [FuzzTarget] =
    relay + sealing + party + text + streams + program + drawing + doors

  /// The folder of kept inputs: one file each, beside this one. Inputs that once broke an invariant
  /// stay.
  var corpusFolder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Corpus").appendingPathComponent(name)
  }

  func corpus() -> [(file: String, bytes: [UInt8])] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: corpusFolder.path)) ?? []
    return names.sorted().compactMap { name in
      (try? Data(contentsOf: corpusFolder.appendingPathComponent(name))).map { (name, Array($0)) }
    }
  }
}

/// An invariant that doesn't hold.
struct Broken: Error, CustomStringConvertible {
  var description: String
}

/// - Throws: ``Broken`` unless it holds.
func hold(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(Broken) {
  guard isTrue else { throw Broken(description: what()) }
}
