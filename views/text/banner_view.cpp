#include "views/text/banner_view.h"

#include <QLabel>
#include <QVBoxLayout>

#include "views/text/text_view.h"

namespace rx {

BannerView::BannerView(QWidget* parent)
    : QWidget(parent), banner_(new QLabel(this)), text_(new TextView(this)), theme_(&Palette::forQt(palette())) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(text_, 1);
  banner_->setAutoFillBackground(true);
  banner_->setWordWrap(true);
  banner_->setMargin(fontMetrics().height() / 4);
  banner_->hide();
  setFocusProxy(text_);
  setTheme(*theme_);
}

void BannerView::setBanner(const QString& sentence, MarkKind tone) {
  tone_ = tone;
  banner_->setText(sentence);
  banner_->setVisible(!sentence.isEmpty());
  setTheme(*theme_);
}

void BannerView::setTheme(const Palette& theme) {
  theme_ = &theme;
  text_->setTheme(theme);
  const bool error = tone_ == MarkKind::Error;
  QPalette colors = banner_->palette();
  colors.setColor(QPalette::Window, error ? theme.errorFill : theme.warningFill);
  colors.setColor(QPalette::WindowText, error ? theme.error : theme.warning);
  banner_->setPalette(colors);
}

}  // namespace rx
