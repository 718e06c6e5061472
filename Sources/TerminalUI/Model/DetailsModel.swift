/// The known facts about one of the library's films.
package struct DetailsModel: Hashable, Sendable {
  /// The library's entry that the facts are about.
  package var id: String
  /// The film's name.
  package var title: TerminalText
  /// The facts, the most important first.
  package var lines: [ItemModel.Detail]
  /// The film's still picture; nil while it is being looked for, or if there is none.
  package var still: PictureModel?

  package init(
    id: String, title: TerminalText, lines: [ItemModel.Detail] = [], still: PictureModel? = nil
  ) {
    self.id = id
    self.title = title
    self.lines = lines
    self.still = still
  }
}
