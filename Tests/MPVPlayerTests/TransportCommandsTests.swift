import Concurrency
import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("Transport commands and their waits")
struct TransportCommandsTests {
  @Test("A new command ends the waits of older ones, but no wait without a command")
  func superseded() {
    var commands = TransportCommands<String>()
    commands.began()
    let own = commands.wait(1, serial: commands.serial, for: "frame")
    let free = commands.wait(2, serial: nil, for: "picture")
    commands.began()
    #expect(own.current == .superseded && free.current == nil)
    #expect(!commands.isInForce(1) && commands.isInForce(2) && commands.isInForce(nil))
    #expect(commands.conditions.map(\.condition) == ["picture"])
  }

  @Test("A wait ends once")
  func once() {
    var commands = TransportCommands<String>()
    let first = commands.wait(1, serial: 0, for: "a")
    let second = commands.wait(2, serial: 0, for: "b")
    let third = commands.wait(3, serial: 0, for: "c")
    commands.met(1)
    commands.gaveUp(2)
    commands.unloaded()
    #expect(first.current == .met && second.current == nil && third.current == .unloaded)
    #expect(commands.conditions.isEmpty)
  }

  @Test("Playback is corrected three times in a row; a command or a good check begins again")
  func corrections() {
    var commands = TransportCommands<String>()
    let (off, on) = (Duration.milliseconds(-30), Duration.milliseconds(1))
    let first = (0..<4).map { _ in commands.mayCorrect(off, tolerance: .milliseconds(2)) }
    #expect(first == [true, true, true, false])
    let second = [off, on, off, off, off, off].map {
      commands.mayCorrect($0, tolerance: .milliseconds(2))
    }
    #expect(second == [true, false, true, true, true, false])
    _ = commands.mayCorrect(off, tolerance: .milliseconds(2))
    commands.began()
    let third = (0..<4).map { _ in commands.mayCorrect(off, tolerance: .milliseconds(2)) }
    #expect(third == [true, true, true, false])
  }

  @Test("A small error is corrected once; nudges do the rest")
  func smallCorrections() {
    var commands = TransportCommands<String>()
    let small = Duration.milliseconds(1)
    let answers = (0..<3).map { _ in commands.mayCorrect(small, tolerance: .milliseconds(0.4)) }
    #expect(answers == [true, false, true])
    let isLargeCorrected = commands.mayCorrect(.milliseconds(3), tolerance: .milliseconds(0.4))
    #expect(isLargeCorrected)
  }
}
