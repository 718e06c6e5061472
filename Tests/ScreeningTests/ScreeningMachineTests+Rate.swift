import Testing
import Timekeeping

@testable import PlaybackCoordination
@testable import Screening

/// The rate: what is refused, and a player that can't keep up.
extension ScreeningMachineTests {
  @Test("A player that was too slow tries again when its user or the group does something")
  func tooSlow() throws {
    var machine = Self.member("A", "B")
    let rejoin = Machine.Effect.rejoin(.tooSlow, proposing: nil)
    let change = CoordinatedChange(
      kind: .rate, originator: Self.host, itemTime: MediaTime(seconds: 5), rate: 1)
    for isSlow in [false, true] {
      func begin() {
        if isSlow { _ = machine.films(.separated(.tooSlow, for: .cannotKeepUp)) }
      }
      begin()
      let reading = Self.reading(.playing, party: Self.party())
      let command = try machine.handle(.setRate(1), in: reading)
      #expect(command == (isSlow ? [rejoin, .look(.command(.setRate(1)))] : [.setDefaultRate(1)]))
      begin()
      #expect(try !machine.handle(.toggleMute, in: reading).contains(rejoin))
      #expect(machine.handle(.changedRate(to: 1), in: reading).contains(rejoin) == isSlow)
      begin()
      let reports = machine.handle(.changed(change), in: reading, at: Self.now)
      #expect(reports.contains(rejoin) == isSlow)
    }
    _ = machine.films(.separated(.tooSlow, for: .cannotKeepUp))
    #expect(machine.films(.resumed(nil)).contains(rejoin))
  }

  @Test("A change to no speed or below is refused, and one below the slowest is the slowest")
  func rateTooLow() throws {
    var machine = Self.alone("A")
    let reading = Self.reading(.playing)
    for change in [-1.0, -2] {
      let error = #expect(throws: NothingToDo.self) {
        try machine.handle(.addRate(change), in: reading)
      }
      #expect(error?.description.contains("0.01 to 100") == true)
    }
    #expect(try machine.handle(.addRate(-0.995), in: reading) == [.setDefaultRate(0.01)])
  }
}
