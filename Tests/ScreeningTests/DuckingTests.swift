import Testing
import Timekeeping

@testable import Screening

@Suite("The film's volume during a call")
struct DuckingTests {
  typealias Machine = ScreeningMachine

  private let now = ScreeningMachineTests.now

  private func orders(_ effects: [Machine.Effect]) -> [PlayerOrder] {
    effects.compactMap { if case .player(let order) = $0 { order } else { nil } }
  }

  private func handle(
    _ machine: inout Machine, _ event: Machine.Event
  ) throws -> [PlayerOrder] {
    orders(try machine.handle(event, at: now))
  }

  @Test("It is lowered while a call is audible, if the user wants that")
  func calls() throws {
    var machine = ScreeningMachineTests.alone("a")
    #expect(try handle(&machine, .playback(.callHeard(true))) == [])
    #expect(try handle(&machine, .command(.duck(nil))) == [.listenForCalls(true)])
    #expect(try handle(&machine, .command(.duck(true))) == [])
    #expect(try handle(&machine, .playback(.callHeard(true))) == [.lower(true)])
    #expect(machine.ducking.isLowered)
    #expect(try handle(&machine, .playback(.callHeard(true))) == [])
    #expect(try handle(&machine, .playback(.callHeard(false))) == [.lower(false)])
  }

  @Test("It returns at once when the user ends that, and a late report changes nothing")
  func end() throws {
    var machine = ScreeningMachineTests.alone("a")
    _ = try handle(&machine, .command(.duck(true)))
    _ = try handle(&machine, .playback(.callHeard(true)))
    #expect(
      try handle(&machine, .command(.duck(nil))) == [.listenForCalls(false), .lower(false)])
    #expect(try handle(&machine, .playback(.callHeard(true))) == [])
    #expect(!machine.ducking.isLowered)
  }
}
