/// What is known of one of the library's films.
public struct DetailsModel: Hashable, Sendable {
  public struct Line: Hashable, Sendable {
    public var name: TerminalText
    public var value: TerminalText

    public init(name: TerminalText, value: TerminalText) {
      self.name = name
      self.value = value
    }
  }

  /// Which of the library's entries.
  public var id: String
  public var title: TerminalText
  public var lines: [Line]
  /// That a picture of it is there; nil while it is being looked for, or where there is none.
  public var still: PictureModel?

  public init(
    id: String, title: TerminalText, lines: [Line] = [], still: PictureModel? = nil
  ) {
    self.id = id
    self.title = title
    self.lines = lines
    self.still = still
  }
}
