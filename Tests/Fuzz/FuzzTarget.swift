import Foundation
import Testing

@testable import GroupActivities

/// One parser, and what must hold of it whatever the bytes: one function for the short run that every
/// `make test` makes and for libFuzzer (`make fuzz`).
struct FuzzTarget: Sendable, CustomTestStringConvertible {
  /// What `make fuzz PARSER=…` and the folder of its corpus are called.
  let name: String
  /// Inputs with which nothing is wrong, to begin from: what only a seed gets past the first check.
  let seeds: @Sendable () -> [[UInt8]]
  /// A Boolean value that indicates whether the parser takes an input for well-formed; nil where it doesn't say. A
  /// seed in an encoding of yesterday is refused at the first check, and nothing behind that is tried any more.
  let isAccepted: (@Sendable ([UInt8]) -> Bool)?
  /// Throws ``Broken`` when something doesn't hold. A crash is found by crashing.
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
    relay + sealing + party + text + streams + program
    + drawing

  /// Inputs that were worth keeping: one file each, beside this one. What once broke something stays.
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

/// Something that must hold and doesn't.
struct Broken: Error, CustomStringConvertible {
  var description: String
}

/// - Throws: ``Broken`` unless it holds.
func hold(_ isTrue: Bool, _ what: @autoclosure () -> String) throws(Broken) {
  guard isTrue else { throw Broken(description: what()) }
}
