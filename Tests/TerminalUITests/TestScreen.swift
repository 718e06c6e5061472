import ScreenDemo
import Testing
import Timekeeping

@testable import TerminalUI

/// An input machine with the screen that it acts on, and a clock.
struct TestScreen {
  var machine = InputMachine()
  var model = Samples.playing
  var size = ScreenSize(columns: 80, rows: 24)
  var now = HostTime(nanoseconds: 0)
  /// The ``ScreenCommand/browse(_:)`` values so far.
  private(set) var browses: [Bool] = []

  @discardableResult
  mutating func press(_ names: String...) -> [InputMachine.Effect] {
    names.flatMap { name -> [InputMachine.Effect] in
      guard let key = KeyPress(mpvName: name) else {
        Issue.record("no key \(name)")
        return []
      }
      return send(.key(key))
    }
  }

  @discardableResult
  mutating func type(_ text: String) -> [InputMachine.Effect] {
    text.flatMap { send(.key(KeyPress(.character($0)))) }
  }

  @discardableResult
  mutating func paste(_ text: String) -> [InputMachine.Effect] { send(.paste(text)) }

  @discardableResult
  mutating func mouse(_ action: MouseEvent.Action, _ column: Int, _ row: Int)
    -> [InputMachine.Effect]
  {
    send(.mouse(MouseEvent(action, at: ScreenPoint(column: column, row: row))))
  }

  @discardableResult
  mutating func send(_ event: InputEvent) -> [InputMachine.Effect] {
    apart(machine.handle(event, model: model, size: size, at: now))
  }

  /// Separates ``ScreenCommand/browse(_:)``, which accompanies many other effects and is tested on its own.
  private mutating func apart(_ effects: [InputMachine.Effect]) -> [InputMachine.Effect] {
    effects.filter { effect in
      guard case .screen(.browse(let isBrowsing)) = effect else { return true }
      browses.append(isBrowsing)
      return false
    }
  }

  /// Changes the application's model.
  @discardableResult
  mutating func change(_ body: (inout ScreenModel) -> Void) -> [InputMachine.Effect] {
    var new = model
    body(&new)
    return show(new)
  }

  @discardableResult
  mutating func show(_ new: ScreenModel) -> [InputMachine.Effect] {
    defer { model = new }
    return apart(machine.modelChanged(from: model, to: new, size: size, at: now))
  }

  /// Lets time pass, with the screen's changes in it.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let next = machine.nextDeadline, next <= end { _ = machine.timerFired(at: next) }
    now = end
  }

  func canvas(_ symbols: GlyphSet = .unicode) -> Canvas {
    ScreenView(model: model, state: machine.state, keyMap: machine.keyMap)
      .canvas(size: size, symbols: symbols)
  }

  var text: String { canvas().text.joined(separator: "\n") }
}
