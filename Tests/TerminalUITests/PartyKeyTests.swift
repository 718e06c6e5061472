import ScreenDemo
import Screening
import Testing

@testable import TerminalUI

@Suite("Keys that enter and leave a party, and its invite")
struct PartyKeyTests {
  private func playing() -> TestScreen { TestScreen(model: Samples.playing) }

  @Test("If this program is the relay, the question before leaving says that the party ends")
  func leavingAsRelay() {
    var screen = playing()
    screen.press("L")
    #expect(screen.text.contains("Everyone else keeps watching."))
    screen.press("n")
    screen.model.party?.othersLosingParty = 1
    screen.press("L")
    #expect(screen.text.contains("close the party for 1 other?"))
    screen.press("n")
    screen.model.party?.othersLosingParty = 3
    screen.press("L")
    #expect(screen.text.contains("close the party for 3 others?"))
    #expect(screen.press("y") == [.user(.leave)])
  }

  @Test("Leaving and ending a party ask for confirmation, and only y confirms")
  func confirmations() {
    var screen = playing()
    #expect(screen.press("L", "ENTER", "L", "n", "E", "ESC", "E", "q") == [])
    #expect(screen.press("L", "y") == [.user(.leave)])
    #expect(screen.press("E", "y") == [.user(.endParty)])
    screen.model.party?.isHost = false
    #expect(
      screen.press("E")
        == [.screen(.explain("Only the host can end the party. To leave it, press L."))])
    screen.model.party = nil
    #expect(screen.press("L") == [.screen(.explain("You're not in a party."))])
  }

  @Test("Keys without an effect say why")
  func explanations() {
    var screen = playing()
    screen.model.party = nil
    #expect(screen.press("r") == [.screen(.explain("Reactions work in a party only."))])
    screen.model.transport.duration = nil
    #expect(screen.press("S") == [.screen(.explain("Length unknown. Previewing isn't possible."))])
    screen.model.item = nil
    #expect(screen.press("S") == [.screen(.explain("No film is open. Open one first."))])
  }

  @Test("Escape, or the key that leaves a party, dismisses the note that the party ended")
  func endedParty() {
    var screen = playing()
    screen.model.party = nil
    #expect(screen.press("ESC") == [])
    screen.model.participantState = .partyClosed("Ana closed the party.", canRejoin: true)
    #expect(screen.press("ESC") == [.user(.leave)])
    #expect(screen.press("L") == [.user(.leave)])
  }

  @Test(
    "Without a party, enter names the key that hosts one, which may be the user's own",
    arguments: [
      ("", "Press P to host one."), ("P ignore\n_ host", "Press _ to host one."),
      ("P ignore", "To host one: matinee host FILM"),
    ])
  func hostKey(lines: String, advice: String) {
    let keys = KeyBindings(parsing: lines)
    #expect(keys.problems == [])
    var screen = TestScreen(machine: InputMachine(keyMap: .standard.applying(keys)))
    screen.model.party = nil
    #expect(
      screen.press("ENTER") == [
        .screen(.explain("The chat needs a party. \(TerminalText(advice))"))
      ])
  }

  @Test("The invite is copied on request")
  func invite() {
    var screen = playing()
    #expect(screen.press("I") == [])
    #expect(screen.press("c") == [.copy(Samples.invite), .screen(.copiedInvite)])
    // The application has to find out the result.
    #expect(!screen.text.lowercased().contains("copied"))
    screen.model.inviteNotice = MessageModel("Copied to the clipboard.")
    #expect(screen.text.contains("Copied to the clipboard."))
    #expect(screen.press("s") == [.screen(.saveInvite)])
    #expect(screen.press("ESC", "SPACE") == [.user(.playPause)])
    screen.model.party = nil
    // Without a party the key asks for an invite.
    #expect(screen.press("I") == [] && screen.text.contains("paste the invite"))
  }

  @Test(
    "A problem that comes after the invite was closed is a state until the invite is looked at again"
  )
  func lateAdvice() {
    var screen = playing()
    let limit: TerminalText = "Only people in your network can join."
    func comes(_ text: TerminalText?) {
      screen.change { model in
        model.party?.advice = text
        model.party?.limit = text.map { _ in limit }
      }
    }
    comes("Forward the port.")
    #expect(screen.text.contains(limit.description))
    screen.press("I")
    #expect(screen.text.contains("Forward the port."))
    screen.press("ESC")
    #expect(!screen.text.contains(limit.description))
    // The router answered meanwhile, and later no longer.
    comes(nil)
    comes("Forward the port.")
    #expect(screen.text.contains(limit.description))
    screen.press("I")
    comes("Use a relay.")
    screen.press("ESC")
    #expect(!screen.text.contains(limit.description))
  }

  @Test("The host sees the invite until a guest joins, and every key keeps its effect")
  func openedParty() {
    let words = "Anyone with this link can join"
    var screen = playing()
    var alone = screen.model
    alone.roster = Array(alone.roster.prefix(1))
    var before = alone
    before.party = nil
    for key in ["SPACE", "ESC", "I", "q"] {
      _ = screen.machine.modelChanged(
        from: before, to: alone, size: screen.size, at: screen.now)
      #expect(screen.text.contains(words))
      #expect(screen.press(key) == (key == "SPACE" ? [.user(.playPause)] : []))
      #expect(!screen.text.contains(words))
    }
    _ = screen.machine.modelChanged(
      from: before, to: alone, size: screen.size, at: screen.now)
    _ = screen.machine.modelChanged(
      from: alone, to: screen.model, size: screen.size, at: screen.now)
    #expect(!screen.text.contains(words))
    // A guest has joined through an invite, and needn't send it first.
    screen.model.party?.isHost = false
    _ = screen.machine.modelChanged(
      from: before, to: screen.model, size: screen.size, at: screen.now)
    #expect(!screen.text.contains(words))
  }
}
