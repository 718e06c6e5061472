import Foundation
import ProcessTesting
import Testing

@Suite("Parsers and hostile bytes")
struct FuzzTests {
  /// The number of mutated inputs for each parser. They are the same in every run, so that a
  /// failure can be repeated.
  static let executions = 300

  @Test("Every parser passes with the kept inputs", arguments: FuzzTarget.all)
  func corpus(target: FuzzTarget) {
    for seed in target.seeds() { Self.run(target, seed, "a seed") }
    for (file, bytes) in target.corpus() { Self.run(target, bytes, file) }
  }

  @Test("Seeds are accepted, since a refused seed would test nothing", arguments: FuzzTarget.all)
  func acceptedSeeds(target: FuzzTarget) {
    guard let isAccepted = target.isAccepted else { return }
    for seed in target.seeds() {
      #expect(isAccepted(seed), "\(String(decoding: seed, as: UTF8.self))")
    }
  }

  @Test("Every number of an input may be an extreme one", arguments: FuzzTarget.all)
  func extremeNumbers(target: FuzzTarget) {
    for seed in target.seeds() {
      for input in Mutation.extremeNumbers(in: seed) {
        Self.run(target, input, "an extreme number")
      }
    }
  }

  @Test("Every parser passes with mutated inputs", arguments: FuzzTarget.all)
  func mutated(target: FuzzTarget) {
    let seeds = target.seeds() + target.corpus().map(\.bytes)
    let end = ContinuousClock.now + .seconds(3)
    for number in 0..<UInt64(Self.executions) {
      var mutation = Mutation(seed: number)
      Self.run(target, mutation.input(from: seeds), "input \(number)")
      // A slow machine tries fewer inputs instead of running into the limit; a parser that hangs is
      // found by its limit.
      if number % 32 == 31, ContinuousClock.now > end { return }
    }
  }

  @Test("No parser takes seconds for an input that fits a message", arguments: FuzzTarget.all)
  func patience(target: FuzzTarget) {
    for byte in Array("[{\"\u{1B}0 \n".utf8) + [0, 0xCC, 0xFF] {
      let input = [UInt8](repeating: byte, count: 60_000)
      let begin = ThreadTime.now
      Self.run(target, input, "60,000 × \(byte)")
      // In a debug build, and still far below the time of quadratic work.
      #expect(ThreadTime.now - begin < .seconds(5), "60,000 × \(byte)")
    }
  }

  private static func run(_ target: FuzzTarget, _ bytes: [UInt8], _ what: String) {
    do {
      try target.body(bytes)
    } catch {
      Issue.record(
        "\(target.name), \(what): \(error)\nbase64: \(Data(bytes).base64EncodedString())")
    }
  }

  #if FUZZER
    /// Never returns: libFuzzer ends the process, and writes a found input to a file.
    @Test("libFuzzer")
    func libFuzzer() throws {
      let name = ProcessInfo.processInfo.environment["PARSER"] ?? ""
      guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
        throw Broken(description: "PARSER=\(name): the parsers are \(names)")
      }
      LibFuzzer.run(target)
    }
  #endif
}
