/// What is known of one of the library's films.
public struct DetailsModel: Hashable, Sendable {
  /// Which of the library's entries.
  public var id: String
  public var title: TerminalText
  /// The most important first.
  public var lines: [ItemModel.Detail]
  /// That a picture of it is there; nil while it is being looked for, or where there is none.
  public var still: PictureModel?

  public init(
    id: String, title: TerminalText, lines: [ItemModel.Detail] = [], still: PictureModel? = nil
  ) {
    self.id = id
    self.title = title
    self.lines = lines
    self.still = still
  }
}
