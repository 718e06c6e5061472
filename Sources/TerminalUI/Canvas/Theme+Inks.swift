extension Theme {
  /// The colours of drawings: people's own, bright enough for any picture.
  var inks: [UInt8] {
    let bright: [UInt8] = [39, 212, 51, 154, 141, 207]
    return (0..<Style.personColors).map { index in
      // The first sixteen colours depend on the terminal, and aren't known here.
      looks[.person(index)]?.color.flatMap { $0 >= 16 ? UInt8(exactly: $0) : nil }
        ?? bright[index % bright.count]
    }
  }
}
