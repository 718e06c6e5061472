import Timekeeping

extension UserCommand {
  /// A Boolean value that indicates whether the command's meaning depends on the player's state at this moment.
  var needsPosition: Bool {
    if case .seekPercent(_, isRelative: true) = self { return true }
    return ["play", "play-pause", "chapter", "share-subtitles"].contains(name) || isSkip
  }

  private var isSkip: Bool { if case .skip = self { true } else { false } }

  /// Creates the command that goes to the value of mpv's option `start`; nil for a value of another form.
  init?(start text: String) {
    switch TimeEntry(text) {
    case .absolute(let position): self = .seek(to: position)
    case .fraction(let fraction): self = .seekPercent(fraction * 100, isRelative: false)
    case .relative(let distance) where distance >= .zero: self = .seek(to: .zero + distance)
    case .relative, nil: return nil
    }
  }
}
