import Foundation
import SoundAlignment
import Testing
import Timekeeping

@Suite("SoundOutline")
struct SoundOutlineTests {
  private static func outline(_ samples: [Float], parts: Int = 1) -> SoundOutline {
    var maker = SoundOutlineMaker()
    let size = max(1, samples.count / parts)
    for first in stride(from: 0, to: samples.count, by: size) {
      maker.add(Array(samples[first..<min(first + size, samples.count)]))
    }
    return maker.finish()
  }

  private static let noise: [Float] = {
    var random = SeededGenerator(seed: 9)
    return (0..<80_000).map { _ in .random(in: -1...1, using: &random) }
  }()

  @Test("It lasts as long as the sound, and its coding restores it")
  func coding() throws {
    let outline = Self.outline(Self.noise)
    #expect((outline.duration - .seconds(10)).magnitude <= .milliseconds(40))
    #expect(SoundOutline(bytes: outline.bytes) == outline)
    #expect(SoundOutline(bytes: Data(outline.bytes)) == outline)
    let hour = 3600 * outline.bytes.count / 10
    #expect(hour < 1_500_000)
  }

  @Test("The sizes of the parts in which samples come don't matter", arguments: [3, 97, 80_000])
  func parts(count: Int) {
    #expect(Self.outline(Self.noise, parts: count) == Self.outline(Self.noise))
  }

  @Test("Bytes that are no outline are refused, and those of a film of more than 12 hours")
  func malformed() {
    let bytes = Self.outline(Self.noise).bytes
    #expect(SoundOutline(bytes: []) == nil)
    #expect(SoundOutline(bytes: bytes.dropLast()) == nil)
    #expect(SoundOutline(bytes: bytes.dropFirst()) == nil)
    #expect(SoundOutline(bytes: [2] + bytes.dropFirst()) == nil)
    let longest = 12 * 3600 * 50 * 8
    #expect(SoundOutline(bytes: [1] + [UInt8](repeating: 0, count: longest)) != nil)
    #expect(SoundOutline(bytes: [1] + [UInt8](repeating: 0, count: longest + 8)) == nil)
  }

  @Test("Any bytes can be compared", arguments: UInt64(0)..<8)
  func anyBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = 8 * Int.random(in: 0...3000, using: &random)
    let limit = UInt8.random(in: 0...255, using: &random)
    let levels = (0..<count).map { _ in UInt8.random(in: 0...limit, using: &random) }
    let outline = try #require(SoundOutline(bytes: [1] + levels))
    let noise = Self.outline(Self.noise + Self.noise)
    for (own, partys) in [(outline, noise), (noise, outline)] {
      switch Aligner.align(own: own, partys: partys) {
      case .refused: break
      case .aligned(let alignment): Issue.record("\(alignment), seed \(seed)")
      }
    }
  }

  @Test("Samples that aren't numbers are silence")
  func notNumbers() {
    let outline = Self.outline([Float](repeating: .nan, count: 8000))
    #expect(outline.bytes.dropFirst().allSatisfy { $0 == 0 })
  }
}
