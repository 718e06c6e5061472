/// The keys and the mouse in mpv's window.
extension MPVPlayer {
  /// Defines a set of keys, which come as ``PlayerEvent/windowKey(_:)`` whenever their set is on.
  package func define(_ keys: WindowKeys) {
    let lines = keys.bindings.map { $0.line(client: handle.clientName) }
    sendCommand(
      MPVCommand.defineSection, WindowKeys.section(keys.name), lines.joined(separator: "\n"),
      keys.precedence == .overAll ? "force" : "default")
  }

  /// Turns a defined set of keys on or off.
  package func set(_ keys: WindowKeys, on isOn: Bool) {
    let section = WindowKeys.section(keys.name)
    if isOn {
      sendCommand(MPVCommand.enableSection, section, keys.flags)
    } else {
      sendCommand(MPVCommand.disableSection, section)
    }
  }

  private func sendCommand(_ arguments: String...) {
    request({ $0.command(.array(arguments.map { .string($0) }), id: $1) }) { _, _ in }
  }

  // MARK: The mouse

  /// Starts or stops reporting the mouse's position in the picture (``PlayerEvent/pointerMoved(x:y:)``).
  package func followPointer(_ isFollowed: Bool) {
    if isFollowed {
      observe(MPVProperty.mousePos, as: .pointer)
    } else {
      stopObserving(.pointer)
    }
  }

  func pointerMoved(_ value: MPVValue) {
    guard let point = overlays.pointer(value) else { return }
    emitter.yield(.pointerMoved(x: point.x, y: point.y))
  }

  /// Shows the position in the film, as mpv does after a seek with its own keys.
  package func showProgress() {
    request({ $0.command(.array([.string(MPVCommand.showProgress)]), id: $1) }) { _, _ in }
  }
}
