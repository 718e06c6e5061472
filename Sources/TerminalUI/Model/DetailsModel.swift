/// The known facts about one of the library's films.
public struct DetailsModel: Hashable, Sendable {
  /// The library's entry that the facts are about.
  public var id: String
  /// The film's name.
  public var title: TerminalText
  /// The facts, the most important first.
  public var lines: [ItemModel.Detail]
  /// The film's still picture; nil while it is being looked for, or if there is none.
  public var still: PictureModel?

  /// Creates the details of an entry.
  public init(
    id: String, title: TerminalText, lines: [ItemModel.Detail] = [], still: PictureModel? = nil
  ) {
    self.id = id
    self.title = title
    self.lines = lines
    self.still = still
  }
}
